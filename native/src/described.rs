//! Descriptions of products in the structured data of a page, and where the page shows them.

use crate::columns::Columns;
use crate::hash::Set;
use crate::identity::values;
use crate::references::decode_value;
use crate::shingles::shingle_hashes;
use crate::spans::LONG;
use crate::words::word_hashes;

const KINDS: [&str; 2] = ["\"Product\"", "\"ProductGroup\""];
/// Such a share of the runs of words of a text must be in a description.
const DESCRIBED: f64 = 0.8;
const RUN: usize = 4;

/// Return what a block about products says of them.
pub fn descriptions(json: &str) -> Vec<String> {
    if !KINDS.iter().any(|kind| json.contains(kind)) {
        return Vec::new();
    }
    values(json, "\"description\"").map(plain).collect()
}

/// Return a string without its quotes, escapes and markup.
fn plain(literal: &str) -> String {
    let mut text = String::with_capacity(literal.len());
    let mut rest = literal[1..literal.len() - 1].chars();
    let mut in_tag = false;
    while let Some(one) = rest.next() {
        let one = match one {
            '\\' => match rest.next() {
                Some('u') => {
                    let code = u32::from_str_radix(rest.as_str().get(..4).unwrap_or(""), 16);
                    rest = rest.as_str().get(4..).unwrap_or("").chars();
                    code.ok().and_then(char::from_u32).unwrap_or(' ')
                }
                Some(one @ ('"' | '/' | '\\')) => one,
                _ => ' ',
            },
            one => one,
        };
        match one {
            '<' => in_tag = true,
            '>' if in_tag => {
                in_tag = false;
                text.push(' ');
            }
            _ if !in_tag => text.push(one),
            _ => {}
        }
    }
    decode_value(&text).into_owned()
}

/// Unmark long texts that structured data gives as descriptions of the product on the page.
pub fn unmark_described(levels: &mut [u8], page: &Columns, descriptions: &[String]) {
    let runs_of = |text: &str| shingle_hashes(&word_hashes(text), RUN);
    let runs: Set<u64> = descriptions.iter().flat_map(|text| runs_of(text)).collect();
    if runs.is_empty() {
        return;
    }
    for (node, level) in levels.iter_mut().enumerate() {
        if *level > 0 && page.lengths[node] >= LONG {
            let shown = runs_of(page.at(node));
            let described = shown.iter().filter(|run| runs.contains(run)).count();
            if described as f64 >= DESCRIBED * shown.len().max(1) as f64 {
                *level = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_of_products_are_plain_text() {
        let json = r#"{"@type": "Product", "name": "Cup", "description" : "A \"cup\"\n\u00e9 <b>of&amp;tea<\/b>",
            "review": {"description": "\ud83d"}, "description": 3}"#;
        assert_eq!(descriptions(json), ["A \"cup\" \u{e9}  of&tea ", " "]);
        assert!(descriptions(&json.replace("Product", "Article")).is_empty());
        assert!(descriptions("{\"@type\": \"Product\", \"description\": \"no end").is_empty());
    }
}
