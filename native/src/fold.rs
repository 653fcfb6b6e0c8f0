//! Text in the form in which words are compared.

use std::borrow::Cow;

use crate::characters::characters;
use crate::classes::{classes, Classes, FOLDS, MAPPED, POINTED, UNASSIGNED, UNSETTLED};
use crate::normal::{compose, decompose, order, Classed};
use crate::scan::ascii_end;

const YO: char = '\u{451}';
const YE: char = '\u{435}';
const DOTS: char = '\u{308}';

/// Memory for parts of a text, used again and again.
#[derive(Default)]
pub struct Scratch {
    part: Vec<Classed>,
    folded: Vec<Classed>,
}

/// Return a text in the form in which words are compared.
pub fn fold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            Cow::Owned(text.to_ascii_lowercase())
        } else {
            Cow::Borrowed(text)
        };
    }
    let mut out = String::with_capacity(text.len() + 16);
    append_folded(text, &mut out);
    Cow::Owned(out)
}

/// Append a text in the form in which words are compared.
pub fn append_folded(text: &str, out: &mut String) {
    let classes = classes();
    let mut scratch = Scratch::default();
    let mut rest = text;
    let mut before = None; // the last character and the length of the output before it
    while !rest.is_empty() {
        let ascii = ascii_end(rest.as_bytes());
        if ascii > 0 {
            let (plain, others) = rest.split_at(ascii);
            out.push_str(plain);
            let start = out.len() - ascii;
            out[start..].make_ascii_lowercase();
            before = plain.chars().next_back().map(|one| (one, out.len() - 1));
            rest = others;
        }
        let mut others = rest.chars();
        let Some(one) = others.next() else {
            break;
        };
        let (flags, folded) = classes.folded(one);
        if flags & UNSETTLED == 0 {
            before = Some((one, out.len()));
            out.push(folded);
            rest = others.as_str();
            continue;
        }
        let end = rest
            .char_indices()
            .find(|&(_, one)| classes.flags(one) & UNSETTLED == 0)
            .map_or(rest.len(), |(place, _)| place);
        let (open, others) = rest.split_at(end);
        if let Some((_, length)) = before {
            out.truncate(length); // the first of them may join it
        }
        let last = before.take().map(|(one, _)| one);
        settle(classes, last.into_iter().chain(open.chars()), &mut scratch, out);
        rest = others;
    }
}

/// Append a part of a text that neither side joins, folded.
pub fn settle(
    classes: &Classes,
    part: impl IntoIterator<Item = char>,
    scratch: &mut Scratch,
    out: &mut String,
) {
    for one in part {
        if classes.flags(one) & MAPPED == 0 {
            decompose(classes, one, &mut scratch.part);
        } else if classes.flags(one) & UNASSIGNED != 0 {
            scratch.part.push((0, char::REPLACEMENT_CHARACTER));
        } else if let Some(letters) = characters().forms.get(one as u32) {
            for letter in letters.chars() {
                if letter == ' ' {
                    finish(classes, scratch, out); // or some forms would take a lot of memory
                }
                if classes.flags(letter) & MAPPED == 0 {
                    decompose(classes, letter, &mut scratch.part);
                }
            }
        }
    }
    finish(classes, scratch, out);
}

fn finish(classes: &Classes, scratch: &mut Scratch, out: &mut String) {
    let Scratch { part, folded } = scratch;
    order(part);
    part.retain_mut(|(_, one)| classes.flags(*one) & POINTED == 0 || replace_variant(one));
    compose(classes, part);
    if part.iter().all(|(_, one)| classes.flags(*one) & FOLDS == 0) {
        std::mem::swap(part, folded); // what is composed would be so again
    } else {
        fold_each(classes, part, folded);
        order(folded);
        compose(classes, folded);
    }
    let mut after_yo = false;
    for (_, one) in folded.drain(..) {
        if one == DOTS && after_yo {
            continue;
        }
        after_yo = one == YO;
        out.push(if after_yo { YE } else { one });
    }
}

/// Append what characters fold to, decomposed.
fn fold_each(classes: &Classes, part: &mut Vec<Classed>, folded: &mut Vec<Classed>) {
    for (_, one) in part.drain(..) {
        let is_folded = classes.flags(one) & FOLDS != 0;
        match is_folded.then(|| characters().case_folds.get(one as u32)) {
            Some(Some(letters)) => letters.chars().for_each(|one| decompose(classes, one, folded)),
            _ => decompose(classes, one, folded),
        }
    }
}

/// Replace a variant of an Arabic letter; return false for a point.
fn replace_variant(one: &mut char) -> bool {
    let letter = characters().letters.get(*one as u32);
    *one = letter.and_then(|text| text.chars().next()).unwrap_or(*one);
    letter.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_differently_in_the_same_words() {
        for (one, other) in [
            ("CAF\u{c9}", "caf\u{e9}"),
            ("\u{401}\u{41b}\u{41a}\u{410}", "\u{435}\u{43b}\u{43a}\u{430}"),
            ("\u{435}\u{308}", "\u{435}"),
            ("\u{ff21}\u{ff11}", "a1"),
            ("\u{ff76}\u{ff9e}", "\u{30ac}"),
            ("\u{64a}\u{643}", "\u{6cc}\u{6a9}"),
            ("\u{623}\u{625}\u{622}\u{671}", "\u{627}\u{627}\u{627}\u{627}"),
            ("\u{643}\u{64e}\u{640}\u{62a}", "\u{643}\u{62a}"),
            ("\u{5e9}\u{5c1}", "\u{5e9}"),
            ("Ma\u{df}e", "MASSE"),
            ("\u{1100}\u{1161}\u{11a8}", "\u{ac01}"),
        ] {
            assert_eq!(fold(one), fold(other), "{one}");
            assert_eq!(fold(&fold(one)), fold(one), "{one}");
        }
    }

    #[test]
    fn other_letters_stay_different() {
        for (one, other) in [("\u{439}", "\u{438}"), ("\u{e4}", "a"), ("\u{f1}", "n")] {
            assert_ne!(fold(one), fold(other));
        }
    }

    #[test]
    fn a_long_run_of_marks() {
        let count = 50_000;
        let text = format!("a{}", "\u{301}\u{316}".repeat(count));
        let expected = format!("\u{e1}{}{}", "\u{316}".repeat(count), "\u{301}".repeat(count - 1));
        assert_eq!(fold(&text), expected);
    }
}
