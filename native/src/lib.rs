//! The compiled core: reading, fingerprints, posting search and comparison.

#![deny(unsafe_code)]

mod answer;
mod attributes;
mod blake;
mod boilerplate;
mod build;
mod candidates;
mod characters;
mod charset;
mod classes;
mod columns;
mod data;
mod elements;
mod ffi;
mod fingerprint;
mod fold;
mod hash;
mod hiding;
mod host;
mod identity;
mod keys;
mod labels;
mod murmur;
mod names;
mod normal;
mod pack;
mod parents;
mod postings;
mod rarity;
mod reading;
mod recent;
mod references;
mod sample;
mod scan;
mod shingles;
mod siblings;
mod similarity;
mod sketch;
mod space;
mod spans;
mod tables;
mod tags;
mod tokens;
mod tree;
mod words;
