//! Stems of English words: Porter's algorithm with nltk's extensions.

/// Words of more characters are not stemmed.
pub const LONGEST: usize = 40;
/// What takes the place of a suffix.
type Rule = (&'static [u8], &'static [u8]);

/// Stem a word in place. Each letter is a byte; those that are not ASCII stand for consonants.
pub fn stem(word: &mut Vec<u8>) {
    if word.len() <= 2 {
        return;
    }
    let irregular: &[u8] = match word.as_slice() {
        b"sky" | b"news" | b"howe" | b"proceed" | b"exceed" | b"succeed" => return,
        b"inning" | b"outing" | b"canning" => return,
        b"innings" | b"outings" | b"cannings" => return word.truncate(word.len() - 1),
        b"skies" => b"sky",
        b"dying" => b"die",
        b"lying" => b"lie",
        b"tying" => b"tie",
        _ => b"",
    };
    if !irregular.is_empty() {
        return replace(word, word.len(), irregular);
    }
    plural(word);
    past(word);
    if word.ends_with(b"y") && word.len() > 2 && !is_vowel(word, word.len() - 2) {
        replace(word, 1, b"i");
    }
    double_suffix(word);
    apply(word, long_suffixes(last(word)), 1);
    short_suffix(word);
    final_letter(word);
}

fn last(word: &[u8]) -> u8 {
    word.last().copied().unwrap_or(0)
}

/// Put an ending in the place of the last letters.
fn replace(word: &mut Vec<u8>, letters: usize, ending: &[u8]) {
    word.truncate(word.len() - letters);
    word.extend_from_slice(ending);
}

/// Apply the first rule whose suffix a word has, if what is before it has such a measure.
fn apply(word: &mut Vec<u8>, rules: &[Rule], least: usize) {
    if let Some((suffix, ending)) = rules.iter().find(|(suffix, _)| word.ends_with(suffix)) {
        if measure(&word[..word.len() - suffix.len()]) >= least {
            replace(word, suffix.len(), ending);
        }
    }
}

fn is_vowel(word: &[u8], at: usize) -> bool {
    // a y is a vowel after a consonant; so it is every other one of several
    let run = word[..=at].iter().rev().take_while(|&&c| c == b'y').count();
    if run > at {
        return at % 2 == 1;
    }
    let plain = matches!(word[at - run], b'a' | b'e' | b'i' | b'o' | b'u');
    plain != (run % 2 == 1)
}

/// Count how often a consonant follows a vowel.
fn measure(word: &[u8]) -> usize {
    let (mut count, mut after_vowel) = (0, true);
    for (at, letter) in word.iter().enumerate() {
        let is_vowel = match letter {
            b'a' | b'e' | b'i' | b'o' | b'u' => true,
            b'y' => !after_vowel,
            _ => false,
        };
        count += usize::from(at > 0 && after_vowel && !is_vowel);
        after_vowel = is_vowel;
    }
    count
}

/// Whether a word ends with consonant, vowel, consonant, or is a vowel and a consonant.
fn ends_short(word: &[u8]) -> bool {
    let size = word.len();
    if size == 2 {
        return is_vowel(word, 0) && !is_vowel(word, 1);
    }
    size > 2
        && !is_vowel(word, size - 3)
        && is_vowel(word, size - 2)
        && !is_vowel(word, size - 1)
        && !matches!(word[size - 1], b'w' | b'x' | b'y')
}

fn plural(word: &mut Vec<u8>) {
    if last(word) != b's' {
        return;
    }
    if word.ends_with(b"ies") {
        let ending: &[u8] = if word.len() == 4 { b"ie" } else { b"i" };
        replace(word, 3, ending);
    } else if word.ends_with(b"sses") {
        replace(word, 2, b"");
    } else if !word.ends_with(b"ss") {
        replace(word, 1, b"");
    }
}

fn past(word: &mut Vec<u8>) {
    if word.ends_with(b"ied") {
        let ending: &[u8] = if word.len() == 4 { b"ie" } else { b"i" };
        return replace(word, 3, ending);
    }
    if word.ends_with(b"eed") {
        return apply(word, &[(b"eed", b"ee")], 1);
    }
    let suffix = match last(word) {
        b'd' if word.ends_with(b"ed") => 2,
        b'g' if word.ends_with(b"ing") => 3,
        _ => return,
    };
    let size = word.len() - suffix;
    if !(0..size).any(|at| is_vowel(word, at)) {
        return;
    }
    word.truncate(size);
    if [&b"at"[..], b"bl", b"iz"].iter().any(|end| word.ends_with(end)) {
        word.push(b'e');
    } else if size > 1 && word[size - 1] == word[size - 2] && !is_vowel(word, size - 1) {
        if !matches!(word[size - 1], b'l' | b's' | b'z') {
            word.pop();
        }
    } else if measure(word) == 1 && ends_short(word) {
        word.push(b'e');
    }
}

fn double_suffix(word: &mut Vec<u8>) {
    const L: &[Rule] = &[(b"ational", b"ate"), (b"tional", b"tion")];
    const I: &[Rule] = &[
        (b"enci", b"ence"),
        (b"anci", b"ance"),
        (b"bli", b"ble"),
        (b"alli", b"al"),
        (b"entli", b"ent"),
        (b"eli", b"e"),
        (b"ousli", b"ous"),
        (b"aliti", b"al"),
        (b"iviti", b"ive"),
        (b"biliti", b"ble"),
        (b"fulli", b"ful"),
    ];
    const R: &[Rule] = &[(b"izer", b"ize"), (b"ator", b"ate")];
    const N: &[Rule] = &[(b"ization", b"ize"), (b"ation", b"ate")];
    const M: &[Rule] = &[(b"alism", b"al")];
    const S: &[Rule] = &[(b"iveness", b"ive"), (b"fulness", b"ful"), (b"ousness", b"ous")];
    if word.ends_with(b"alli") {
        apply(word, &[(b"alli", b"al")], 1);
    }
    let rules = match last(word) {
        b'i' if word.ends_with(b"logi") => {
            if measure(&word[..word.len() - 3]) > 0 {
                word.pop();
            }
            return;
        }
        b'l' => L,
        b'i' => I,
        b'r' => R,
        b'n' => N,
        b'm' => M,
        b's' => S,
        _ => return,
    };
    apply(word, rules, 1);
}

fn long_suffixes(last: u8) -> &'static [Rule] {
    match last {
        b'e' => &[(b"icate", b"ic"), (b"ative", b""), (b"alize", b"al")],
        b'i' => &[(b"iciti", b"ic")],
        b'l' => &[(b"ical", b"ic"), (b"ful", b"")],
        b's' => &[(b"ness", b"")],
        _ => &[],
    }
}

fn short_suffix(word: &mut Vec<u8>) {
    let suffixes: &[&[u8]] = match last(word) {
        b'l' => &[b"al"],
        b'e' => &[b"ance", b"ence", b"able", b"ible", b"ate", b"ive", b"ize"],
        b'r' => &[b"er"],
        b'c' => &[b"ic"],
        b't' => &[b"ant", b"ement", b"ment", b"ent"],
        b'n' => &[b"ion"],
        b'u' => &[b"ou"],
        b'm' => &[b"ism"],
        b'i' => &[b"iti"],
        b's' => &[b"ous"],
        _ => return,
    };
    let Some(suffix) = suffixes.iter().find(|suffix| word.ends_with(suffix)) else {
        return;
    };
    let before = &word[..word.len() - suffix.len()];
    if measure(before) > 1 && (*suffix != b"ion" || matches!(last(before), b's' | b't')) {
        word.truncate(before.len());
    }
}

fn final_letter(word: &mut Vec<u8>) {
    if last(word) == b'e' {
        let before = &word[..word.len() - 1];
        let count = measure(before);
        if count > 1 || (count == 1 && !ends_short(before)) {
            word.pop();
        }
    }
    if word.ends_with(b"ll") && measure(&word[..word.len() - 1]) > 1 {
        word.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems() {
        for (word, expected) in [
            ("caresses", "caress"),
            ("ponies", "poni"),
            ("dies", "die"),
            ("agreed", "agre"),
            ("hopping", "hop"),
            ("filing", "file"),
            ("happily", "happili"),
            ("syzygy", "syzygi"),
            ("vietnamization", "vietnam"),
            ("nationally", "nation"),
            ("geology", "geolog"),
            ("controlling", "control"),
            ("dying", "die"),
            ("yyyyy", "yyyyy"),
            ("by", "by"),
        ] {
            let mut found = word.as_bytes().to_vec();
            stem(&mut found);
            assert_eq!(String::from_utf8(found).unwrap(), expected, "{word}");
        }
    }
}
