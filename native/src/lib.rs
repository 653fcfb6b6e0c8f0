//! The compiled core: what is hot, with the same answers as its twins in Python.

#![deny(unsafe_code)]

mod elements;
#[rustfmt::skip]
mod entities;
mod ffi;
mod names;
mod pack;
mod references;
mod scan;
mod similarity;
#[rustfmt::skip]
mod tables;
mod tokens;
