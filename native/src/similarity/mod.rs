//! Comparison of two pages: their words, their sentences and their nodes.

pub mod align;
pub mod chain;
pub mod characters;
pub mod facts;
pub mod hashes;
pub mod intern;
pub mod languages;
pub mod lcs;
pub mod loss;
pub mod numbers;
mod opposites;
pub mod page;
pub mod pairing;
pub mod porter;
pub mod sentences;
pub mod shingles;
pub mod split;
pub mod stems;
pub mod table;
pub mod texts;
mod unit_words;
pub mod words;
