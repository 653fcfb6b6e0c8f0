//! Comparison of two pages: their words, their sentences and their nodes.

pub mod align;
pub mod chain;
pub mod characters;
pub mod intern;
mod languages;
pub mod lcs;
pub mod numbers;
pub mod page;
pub mod pairing;
#[rustfmt::skip]
mod abbreviations;
pub mod sentences;
pub mod shingles;
pub mod split;
pub mod table;
pub mod words;
