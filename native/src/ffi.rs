//! The C interface, and the only place with unsafe code.
//!
//! Every entry takes UTF-8 and fills a buffer, which the caller gives back to `dedup_free`.

#![allow(unsafe_code)]

use std::panic::catch_unwind;

use crate::elements::nest;
use crate::pack::Packer;
use crate::similarity;
use crate::tokens::tokenize;

/// Raised with every change of what goes in or comes out.
const VERSION: u32 = 1;
/// Offsets and lengths in the output have 32 bits.
const MOST_BYTES: usize = 1 << 28;

const OK: i32 = 0;
const BAD_POINTER: i32 = 1;
const TOO_LONG: i32 = 2;
const NOT_UTF8: i32 = 3;
const PANIC: i32 = 4;
const BAD_INPUT: i32 = 5;

/// Bytes that belong to the core.
#[repr(C)]
pub struct Buffer {
    data: *mut u8,
    length: usize,
}

#[no_mangle]
pub extern "C" fn dedup_version() -> u32 {
    VERSION
}

/// Write the tokens of a page to a buffer; return 0, or what went wrong.
///
/// # Safety
/// `input` must be readable for `length` bytes and `output` writable.
#[no_mangle]
pub unsafe extern "C" fn dedup_tokens(input: *const u8, length: usize, output: *mut Buffer) -> i32 {
    run(input, length, output, |html| {
        let mut packer = Packer::new(html.len());
        let work = tokenize(html, &mut packer);
        packer.packed(work)
    })
}

/// Write the elements of a page to a buffer; return 0, or what went wrong.
///
/// # Safety
/// As `dedup_tokens`.
#[no_mangle]
pub unsafe extern "C" fn dedup_elements(
    input: *const u8,
    length: usize,
    output: *mut Buffer,
) -> i32 {
    run(input, length, output, |html| {
        let mut packer = Packer::new(html.len());
        let work = nest(html, &mut packer);
        packer.packed(work)
    })
}

/// Write the table of a page to a buffer, of its text; return 0, or what went wrong.
///
/// # Safety
/// As `dedup_tokens`.
#[no_mangle]
pub unsafe extern "C" fn dedup_page(input: *const u8, length: usize, output: *mut Buffer) -> i32 {
    run_bytes(input, length, output, |bytes| {
        similarity::page::prepare(bytes).ok_or(BAD_INPUT)
    })
}

/// Write how many hashes two sorted lists share to a buffer; return 0, or what went wrong.
///
/// # Safety
/// As `dedup_tokens`.
#[no_mangle]
pub unsafe extern "C" fn dedup_shared_hashes(
    input: *const u8,
    length: usize,
    output: *mut Buffer,
) -> i32 {
    run_bytes(input, length, output, |bytes| {
        similarity::table::shared_hashes(bytes).ok_or(BAD_INPUT)
    })
}

/// Write what two pages have in common by words to a buffer; return 0, or what went wrong.
///
/// # Safety
/// As `dedup_tokens`.
#[no_mangle]
pub unsafe extern "C" fn dedup_compare_words(
    input: *const u8,
    length: usize,
    output: *mut Buffer,
) -> i32 {
    run_bytes(input, length, output, |bytes| {
        similarity::words::compare(bytes).ok_or(BAD_INPUT)
    })
}

/// Write what two pages have in common by sentences to a buffer; return 0, or what went wrong.
///
/// # Safety
/// As `dedup_tokens`.
#[no_mangle]
pub unsafe extern "C" fn dedup_compare_sentences(
    input: *const u8,
    length: usize,
    output: *mut Buffer,
) -> i32 {
    run_bytes(input, length, output, |bytes| {
        similarity::sentences::compare(bytes).ok_or(BAD_INPUT)
    })
}

/// Free a buffer that was filled by another function, once.
///
/// # Safety
/// `data` and `length` must be those of the buffer.
#[no_mangle]
pub unsafe extern "C" fn dedup_free(data: *mut u8, length: usize) {
    if !data.is_null() {
        drop(Box::from_raw(std::ptr::slice_from_raw_parts_mut(
            data, length,
        )));
    }
}

unsafe fn run(
    input: *const u8,
    length: usize,
    output: *mut Buffer,
    work: impl FnOnce(&str) -> Vec<u8> + std::panic::UnwindSafe,
) -> i32 {
    run_bytes(input, length, output, |bytes| {
        let text = std::str::from_utf8(bytes).map_err(|_| NOT_UTF8)?;
        Ok(work(text))
    })
}

unsafe fn run_bytes(
    input: *const u8,
    length: usize,
    output: *mut Buffer,
    work: impl FnOnce(&[u8]) -> Result<Vec<u8>, i32> + std::panic::UnwindSafe,
) -> i32 {
    if output.is_null() || (input.is_null() && length > 0) {
        return BAD_POINTER;
    }
    output.write(Buffer {
        data: std::ptr::null_mut(),
        length: 0,
    });
    if length > MOST_BYTES {
        return TOO_LONG;
    }
    let bytes = if length == 0 {
        &[]
    } else {
        std::slice::from_raw_parts(input, length)
    };
    match catch_unwind(|| work(bytes).map(Vec::into_boxed_slice)) {
        Ok(Err(status)) => status,
        Ok(Ok(result)) => {
            let length = result.len();
            let data = Box::into_raw(result).cast::<u8>();
            output.write(Buffer { data, length });
            OK
        }
        Err(_) => PANIC,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(input: &[u8], length: usize, work: fn(&str) -> Vec<u8>) -> (i32, Vec<u8>) {
        let mut output = Buffer {
            data: std::ptr::null_mut(),
            length: 0,
        };
        unsafe {
            let status = run(input.as_ptr(), length, &mut output, work);
            let bytes = if output.data.is_null() {
                Vec::new()
            } else {
                std::slice::from_raw_parts(output.data, output.length).to_vec()
            };
            dedup_free(output.data, output.length);
            (status, bytes)
        }
    }

    #[test]
    fn no_panic_crosses() {
        assert_eq!(status(b"a", 1, |_| panic!("a test")), (PANIC, vec![]));
    }

    #[test]
    fn input_is_checked() {
        let copy = |text: &str| text.as_bytes().to_vec();
        assert_eq!(status(b"ab", 2, copy), (OK, b"ab".to_vec()));
        assert_eq!(status(b"", 0, copy), (OK, vec![]));
        assert_eq!(status(b"a\xff", 2, copy), (NOT_UTF8, vec![]));
        assert_eq!(status(b"a", MOST_BYTES + 1, copy), (TOO_LONG, vec![]));
        let null = unsafe { dedup_tokens(std::ptr::null(), 1, std::ptr::null_mut()) };
        assert_eq!(null, BAD_POINTER);
    }
}
