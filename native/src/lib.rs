//! The compiled core: what is hot, with the same answers as its twins in Python.

#![deny(unsafe_code)]

#[rustfmt::skip]
mod characters;
mod classes;
mod elements;
#[rustfmt::skip]
mod entities;
mod ffi;
mod fingerprint;
mod fold;
mod murmur;
mod names;
mod normal;
mod pack;
mod references;
mod sample;
mod scan;
mod shingles;
#[rustfmt::skip]
mod tables;
mod tokens;
mod words;
