//! The C interface, and the only place with unsafe code.
//!
//! Every entry takes UTF-8 and fills a buffer, which the caller gives back to `dedup_free`.

#![allow(unsafe_code)]

use std::panic::catch_unwind;

use crate::answer::packed;
use crate::candidates::choose;
use crate::charset::may_declare_other;
use crate::elements::nest;
use crate::fingerprint::{block_hash, fingerprint, packed_hashes};
use crate::fold::fold;
use crate::names::{normal, title_parts};
use crate::normal::nfc;
use crate::pack::Packer;
use crate::parents;
use crate::postings::{search, Run};
use crate::reading::Reading;
use crate::recent;
use crate::scan::words_of;
use crate::similarity;
use crate::sketch::estimates;
use crate::tokens::{normalized, tokenize};
use crate::words::{word_hashes, words};

/// Raised with every change of what goes in or comes out.
const VERSION: u32 = 17;
/// The compiler of this library, as the build names it.
const COMPILER: &str = match option_env!("DEDUP_RUSTC") {
    Some(name) => name,
    None => "unknown",
};
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

/// Make an entry of a function that takes text (by `run`) or bytes (by `run_bytes`), and numbers if
/// it has any.
macro_rules! entry {
    ($(#[$about:meta])* $name:ident by $run:ident, |$input:ident $(, $option:ident)*| $body:expr) => {
        $(#[$about])*
        ///
        /// It fills `output` and returns 0, or returns what went wrong.
        ///
        /// # Safety
        /// `input` must be readable for `length` bytes and `output` writable.
        #[no_mangle]
        pub unsafe extern "C" fn $name(
            input: *const u8,
            length: usize,
            output: *mut Buffer,
            $($option: u64,)*
        ) -> i32 {
            $run(input, length, output, move |$input| $body)
        }
    };
}

entry!(
    /// The name of the compiler that made this library; the input is not used.
    dedup_compiler by run, |_text| COMPILER.as_bytes().to_vec()
);
entry!(
    /// The tokens of a page.
    dedup_tokens by run, |html| {
        let html = normalized(html);
        let mut packer = Packer::new(&html);
        let work = tokenize(&html, &mut packer);
        packer.packed(work)
    }
);
entry!(
    /// The elements of a page.
    dedup_elements by run, |html| {
        let html = normalized(html);
        let mut packer = Packer::new(&html);
        let work = nest(&html, &mut packer);
        packer.packed(work)
    }
);
entry!(
    /// What is read of a page, and the values made of it.
    ///
    /// Of `options` bit 0 says whether its styles count, bit 1 whether scripts run, bit 2 whether it
    /// may be in another encoding; the rest is the greatest number of characters of text.
    dedup_reading by run_bytes, |bytes, options| {
        let html = std::str::from_utf8(bytes).map_err(|_| NOT_UTF8)?;
        if options & 4 != 0 && may_declare_other(bytes) {
            return Err(NOT_UTF8);
        }
        let (styles, scripts) = (options & 1 != 0, options & 2 != 0);
        let max_text = usize::try_from(options >> 3).unwrap_or(usize::MAX);
        Ok(packed(&Reading::of(html, max_text, styles, scripts)))
    }
);
entry!(
    /// The parents of nodes, four bytes each, in the form in which they are kept.
    dedup_pack_parents by run_bytes, |bytes| parents::pack(bytes).ok_or(BAD_INPUT)
);
entry!(
    /// The parents of `count` nodes, four bytes each, as they were before `dedup_pack_parents`.
    dedup_parents by run_bytes, |bytes, count| {
        let count = usize::try_from(count).map_err(|_| BAD_INPUT)?;
        let found = parents::unpacked(bytes, count).ok_or(BAD_INPUT)?;
        Ok(found.iter().flat_map(|parent| parent.to_le_bytes()).collect())
    }
);
entry!(
    /// The words of a text, a line each.
    dedup_words by run, |text| words(text).into_bytes()
);
entry!(
    /// The hash of each word of a text.
    dedup_word_hashes by run, |text| packed_hashes(&word_hashes(text))
);
entry!(
    /// The fingerprint of a main text.
    dedup_fingerprint by run, |text| {
        let mut bytes = Vec::new();
        fingerprint(text).pack(&mut bytes);
        bytes
    }
);
entry!(
    /// The hash of each line of a text.
    dedup_block_hashes by run, |text| packed_hashes(&text.split('\n').map(block_hash).collect::<Vec<_>>())
);
entry!(
    /// The parts of a title, a line each.
    dedup_title_parts by run, |title| title_parts(title).join("\n").into_bytes()
);
entry!(
    /// Each line of a text as a name in the form in which names are compared.
    dedup_names by run, |text| text.split('\n').map(normal).collect::<Vec<_>>().join("\n").into_bytes()
);
entry!(
    /// A text in the form in which words are compared.
    dedup_fold by run, |text| fold(text).into_owned().into_bytes()
);
entry!(
    /// A text in NFC.
    dedup_nfc by run, |text| nfc(text).into_owned().into_bytes()
);

entry!(
    /// The line, the start and the end of each sentence of a text.
    dedup_sentences by run, |text, mode| similarity::split::places(text, mode)
);
entry!(
    /// The distinct ones of some hashes, sorted.
    dedup_distinct_hashes by run_bytes, |bytes| Ok(similarity::hashes::distinct_hashes(bytes))
);
entry!(
    /// The stems of the words of an English page, given as its table.
    dedup_english_stems by run_bytes, |bytes| similarity::stems::english_stems(bytes).ok_or(BAD_INPUT)
);
/// Make an entry of a function that takes several parts.
macro_rules! parts_entry {
    ($(#[$about:meta])* $name:ident, $work:expr) => {
        $(#[$about])*
        ///
        /// It fills `output` and returns 0, or returns what went wrong.
        ///
        /// # Safety
        /// `parts` and `lengths` must have `count` members, each part must be readable for its
        /// length, and `output` must be writable.
        #[no_mangle]
        pub unsafe extern "C" fn $name(
            parts: *const *const u8,
            lengths: *const usize,
            count: usize,
            output: *mut Buffer,
        ) -> i32 {
            run_parts(parts, lengths, count, output, $work)
        }
    };
}

parts_entry!(
    /// What the digest of a page covers.
    dedup_digested, crate::tables::digested
);
parts_entry!(
    /// What a page tells about its host.
    dedup_arrival, crate::host::arrival
);
parts_entry!(
    /// The marks of a page with what its host shares.
    dedup_mark_shared, crate::host::mark
);
parts_entry!(
    /// What a page shows that was seen before.
    dedup_revisit, crate::volatile::revisit
);
parts_entry!(
    /// The table of a page, made of its text.
    dedup_page, similarity::page::prepare
);
parts_entry!(
    /// The distinct shingle hashes of the main texts of some pages, sorted.
    dedup_main_shingles, similarity::hashes::main_shingles
);
parts_entry!(
    /// The language of a text.
    dedup_language, similarity::languages::language_of
);
parts_entry!(
    /// How many hashes a sorted list shares with each of some others.
    dedup_shared_hashes, similarity::hashes::shared_hashes
);
parts_entry!(
    /// The units of a page.
    dedup_units, crate::units::packed
);
parts_entry!(
    /// What a page and others would lose with one another.
    dedup_compare_units, similarity::loss::compare
);
parts_entry!(
    /// What a page and others have in common by words.
    dedup_compare_words, similarity::words::compare
);
parts_entry!(
    /// What a page and others have in common by sentences.
    dedup_compare_sentences, similarity::sentences::compare
);

entry!(
    /// What a page shares with others, by their sketches.
    dedup_estimates by run_bytes, |bytes| estimates(bytes).ok_or(BAD_INPUT)
);
entry!(
    /// The place and the page of each posting of some keys, among the newest pages up to a number.
    ///
    /// `table` is the address of `length` numbers: how many runs there are; the first page and the
    /// number of parts of each; the address of each part and how many postings it has. All parts
    /// must be readable. `newest` is the address of the table of the newest, of `size` numbers, and
    /// `withdrawn` that of `bytes` bytes: a bit for each page that is left out.
    dedup_postings by run_bytes, |keys, table, length, newest, size, withdrawn, bytes, upto| {
        let table = std::slice::from_raw_parts(table as *const u64, length as usize);
        let newest = std::slice::from_raw_parts(newest as *const u64, size as usize);
        let withdrawn = std::slice::from_raw_parts(withdrawn as *const u8, bytes as usize);
        let runs = runs_at(table).ok_or(BAD_INPUT)?;
        let found = search(&words_of(keys), &runs, newest, upto, withdrawn);
        Ok(found.iter().flat_map(|(place, page)| [place.to_le_bytes(), page.to_le_bytes()]).flatten().collect())
    }
);
entry!(
    /// Add postings to the table of the newest; the answer is empty if there is no room for them.
    ///
    /// `newest` is its address, of `size` numbers that nobody else uses meanwhile.
    dedup_add_newest by run_bytes, |postings, newest, size| {
        let newest = std::slice::from_raw_parts_mut(newest as *mut u64, size as usize);
        let postings: Vec<[u64; 2]> = words_of(postings).chunks_exact(2).map(|one| [one[0], one[1]]).collect();
        Ok(if recent::add(newest, &postings) { vec![1] } else { Vec::new() })
    }
);
entry!(
    /// The pages that are worth a look: how many pages each of `count` keys leads to, how many pages
    /// have the same digest, these, and those that are alike.
    ///
    /// The input is the keys, and postings as `dedup_postings` returns them.
    dedup_candidates by run_bytes, |bytes, count, most| {
        let keys = usize::try_from(count).ok().and_then(|count| count.checked_mul(8));
        let end = keys.filter(|end| *end <= bytes.len()).ok_or(BAD_INPUT)?;
        let (keys, postings) = bytes.split_at(end);
        let postings: Vec<[u32; 2]> = words_of(postings).iter().map(|one| [*one as u32, (*one >> 32) as u32]).collect();
        let found = choose(&words_of(keys), &postings, most as usize).ok_or(BAD_INPUT)?;
        let same = [found.same.len() as u32];
        let all = found.counts.iter().chain(&same).chain(&found.same).chain(&found.alike);
        Ok(all.flat_map(|one| one.to_le_bytes()).collect())
    }
);

unsafe fn runs_at<'p>(table: &'p [u64]) -> Option<Vec<Run<impl Fn(usize) -> &'p [[u8; 8]] + 'p>>> {
    let (count, rest) = table.split_first()?;
    let heads = usize::try_from(*count).ok()?.checked_mul(2)?;
    let (heads, mut parts) = (rest.get(..heads)?, rest.get(heads..)?);
    let mut runs = Vec::new();
    for head in heads.chunks_exact(2) {
        let count = usize::try_from(head[1]).ok()?;
        let own = parts.get(..count.checked_mul(2)?)?;
        parts = &parts[own.len()..];
        let part = move |at: usize| match own[2 * at + 1] {
            0 => &[][..],
            length => unsafe {
                std::slice::from_raw_parts(own[2 * at] as *const [u8; 8], length as usize)
            },
        };
        runs.push(Run { base: head[0], count, part });
    }
    Some(runs)
}

/// Free a buffer that was filled by another function, once.
///
/// # Safety
/// `data` and `length` must be those of the buffer.
#[no_mangle]
pub unsafe extern "C" fn dedup_free(data: *mut u8, length: usize) {
    if !data.is_null() {
        drop(Box::from_raw(std::ptr::slice_from_raw_parts_mut(data, length)));
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
    if input.is_null() && length > 0 {
        return BAD_POINTER;
    }
    answer(length, output, || work(readable(input, length)))
}

unsafe fn run_parts(
    parts: *const *const u8,
    lengths: *const usize,
    count: usize,
    output: *mut Buffer,
    work: impl FnOnce(&[&[u8]]) -> Option<Vec<u8>> + std::panic::UnwindSafe,
) -> i32 {
    if count > 0 && (parts.is_null() || lengths.is_null()) {
        return BAD_POINTER;
    }
    let lengths = if count == 0 { &[] } else { std::slice::from_raw_parts(lengths, count) };
    let total = lengths.iter().fold(0, |sum: usize, length| sum.saturating_add(*length));
    answer(total, output, || {
        let parts = if count == 0 { &[] } else { std::slice::from_raw_parts(parts, count) };
        let parts = parts.iter().zip(lengths);
        let parts: Vec<&[u8]> = parts.map(|(&part, &length)| readable(part, length)).collect();
        work(&parts).ok_or(BAD_INPUT)
    })
}

unsafe fn readable<'i>(input: *const u8, length: usize) -> &'i [u8] {
    if length == 0 || input.is_null() {
        &[]
    } else {
        std::slice::from_raw_parts(input, length)
    }
}

/// Fill a buffer with what comes of an input of so many bytes; no panic crosses.
unsafe fn answer(
    length: usize,
    output: *mut Buffer,
    work: impl FnOnce() -> Result<Vec<u8>, i32> + std::panic::UnwindSafe,
) -> i32 {
    if output.is_null() {
        return BAD_POINTER;
    }
    output.write(Buffer { data: std::ptr::null_mut(), length: 0 });
    if length > MOST_BYTES {
        return TOO_LONG;
    }
    match catch_unwind(|| work().map(Vec::into_boxed_slice)) {
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
        let mut output = Buffer { data: std::ptr::null_mut(), length: 0 };
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
