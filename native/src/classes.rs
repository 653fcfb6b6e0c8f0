//! What is known of each character: flags and folded form, expanded once from ranges.

use std::ops::RangeInclusive;
use std::sync::OnceLock;

use crate::characters::{characters, is_within, Characters};
use crate::fold::{settle, Scratch};
use crate::normal::{compositions, decomposition, JAMO};

/// Folding may drop it, merge it with its neighbours or make several characters of it.
pub const UNSETTLED: u32 = 1 << 21;
pub const WORD: u32 = 1 << 22;
pub const MARK: u32 = 1 << 23;
/// Of a script that has no spaces between words.
pub const SPACELESS: u32 = 1 << 24;
pub const SPACE: u32 = 1 << 25;
/// Unassigned, invisible or a form of a letter.
pub const MAPPED: u32 = 1 << 26;
/// A point, or a variant of an Arabic letter.
pub const POINTED: u32 = 1 << 27;
pub const DECOMPOSES: u32 = 1 << 28;
pub const FOLDS: u32 = 1 << 29;
pub const UNASSIGNED: u32 = 1 << 30;
/// The second part of a composition.
pub const SECOND: u32 = 1 << 31;
const CHARACTER: u32 = (1 << 21) - 1;

/// What lies above is rare and looked up in the ranges: Han, private use, invisible tags.
const SIZE: u32 = 0x20000;

/// Return the ranges of characters, each with its flags.
fn sets(data: &Characters) -> [(&[(u32, u32)], u32); 7] {
    [
        (&data.spaceless, SPACELESS),
        (&data.space, SPACE),
        (&data.invisible, MAPPED),
        (&data.points, POINTED),
        (&data.unassigned, MAPPED | UNASSIGNED),
        (&data.word, WORD),
        (&data.mark, MARK),
    ]
}

/// For each character its flags, and the one it folds to unless it is unsettled.
pub struct Classes {
    entries: Vec<u32>,
}

/// Return the classes, which the first call makes.
pub fn classes() -> &'static Classes {
    static CLASSES: OnceLock<Classes> = OnceLock::new();
    CLASSES.get_or_init(Classes::new)
}

impl Classes {
    fn new() -> Classes {
        let mut made = Classes { entries: (0..SIZE).collect() };
        let data = characters();
        for (ranges, flags) in sets(data) {
            for &(first, last) in ranges {
                made.add(first..=last, flags);
            }
        }
        for (mapping, flags) in [
            (&data.forms, MAPPED),
            (&data.letters, POINTED),
            (&data.decompositions, DECOMPOSES),
            (&data.case_folds, FOLDS),
        ] {
            mapping.codes().for_each(|code| made.add(code..=code, flags));
        }
        for &((second, _), _) in compositions() {
            made.add(second..=second, SECOND);
        }
        made.settle_all();
        made
    }

    fn add(&mut self, codes: RangeInclusive<u32>, flags: u32) {
        for code in *codes.start()..SIZE.min(codes.end() + 1) {
            let entry = &mut self.entries[code as usize];
            if flags & UNASSIGNED != 0 {
                *entry &= CHARACTER; // scripts have room for more
            }
            *entry |= flags;
        }
    }

    /// Fold what changes when it stands alone, and mark what may change beside others.
    fn settle_all(&mut self) {
        let mut scratch = Scratch::default();
        let mut folded = String::new();
        for code in 0..SIZE {
            let entry = self.entries[code as usize];
            let Some(one) = char::from_u32(code) else {
                continue;
            };
            let mut settled = one;
            if entry & (MAPPED | POINTED | DECOMPOSES | FOLDS) != 0 {
                folded.clear();
                settle(self, [one], &mut scratch, &mut folded);
                let mut rest = folded.chars();
                settled = match (rest.next(), rest.next()) {
                    (Some(only), None) => only,
                    _ => '\0',
                };
            }
            let open = (settled == '\0') != (one == '\0')
                || JAMO.contains(&code)
                || [one, settled].into_iter().any(|one| self.joins(one));
            self.entries[code as usize] =
                if open { entry | UNSETTLED } else { entry & !CHARACTER | settled as u32 };
        }
    }

    /// Return true if a character may join the one before, or change places with it.
    fn joins(&self, one: char) -> bool {
        let mut first = one;
        loop {
            let flags = self.flags(first);
            if flags & SECOND != 0 || combining_class(flags, first) != 0 {
                return true;
            }
            if flags & DECOMPOSES == 0 {
                return false;
            }
            let Some((next, _)) = decomposition(first as u32) else {
                return false;
            };
            first = next;
        }
    }

    /// Return the flags of a character.
    pub fn flags(&self, one: char) -> u32 {
        self.entry(one) & !CHARACTER
    }

    /// Return the flags of a character and what it folds to, if it is settled.
    pub fn folded(&self, one: char) -> (u32, char) {
        let entry = self.entry(one);
        let folded = char::from_u32(entry & CHARACTER).unwrap_or(char::REPLACEMENT_CHARACTER);
        (entry & !CHARACTER, folded)
    }

    #[inline]
    fn entry(&self, one: char) -> u32 {
        match self.entries.get(one as usize) {
            Some(&entry) => entry,
            None => above(one as u32),
        }
    }
}

fn above(code: u32) -> u32 {
    let mut flags = 0;
    for (ranges, flag) in sets(characters()) {
        if is_within(ranges, code) {
            flags |= flag;
        }
    }
    if flags & UNASSIGNED != 0 {
        return UNASSIGNED | MAPPED | char::REPLACEMENT_CHARACTER as u32;
    }
    if decomposition(code).is_some() {
        flags |= DECOMPOSES | UNSETTLED;
    }
    flags | code
}

/// Return the combining class of a character that has these flags.
pub fn combining_class(flags: u32, one: char) -> u8 {
    if flags & MARK == 0 {
        return 0;
    }
    let code = one as u32;
    let classes = &characters().classes;
    let after = classes.partition_point(|&(first, _, _)| first <= code);
    match after.checked_sub(1).map(|at| classes[at]) {
        Some((_, last, class)) if code <= last => class,
        _ => 0,
    }
}
