//! The compiled core: what is hot, with the same answers as its twins in Python.

#![deny(unsafe_code)]

mod boilerplate;
mod build;
mod columns;
mod elements;
#[rustfmt::skip]
mod entities;
mod ffi;
mod hidden;
mod identity;
mod labels;
mod names;
mod pack;
mod reading;
mod references;
mod scan;
mod siblings;
mod space;
mod spans;
#[rustfmt::skip]
mod tables;
mod tokens;
mod tree;
mod words;
