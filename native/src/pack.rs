//! Events as bytes: kind, length and text; after a start tag the number of attributes and these.

use crate::attributes::all;
use crate::tokens::{Sink, Tag};

const TEXT: u8 = 0;
const START: u8 = 1;
const EMPTY: u8 = 2;
const END: u8 = 3;

/// Packs events one after the other, behind the amount of work.
pub struct Packer<'h> {
    html: &'h str,
    bytes: Vec<u8>,
    /// Where the last event begins if it is a text.
    text: Option<usize>,
}

impl<'h> Packer<'h> {
    pub fn new(html: &'h str) -> Self {
        let mut bytes = Vec::with_capacity(html.len() + html.len() / 4);
        bytes.extend_from_slice(&[0; 8]);
        Packer { html, bytes, text: None }
    }

    pub fn packed(mut self, work: u64) -> Vec<u8> {
        self.bytes[..8].copy_from_slice(&work.to_le_bytes());
        self.bytes
    }

    fn number(&mut self, number: usize) {
        self.bytes.extend_from_slice(&(number as u32).to_le_bytes());
    }

    fn string(&mut self, text: &str) {
        self.number(text.len());
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn event(&mut self, kind: u8, text: &str) {
        self.text = (kind == TEXT).then_some(self.bytes.len());
        self.bytes.push(kind);
        self.string(text);
    }
}

impl<'h> Sink<'h> for Packer<'h> {
    fn text(&mut self, text: &str) {
        let Some(begin) = self.text else {
            return self.event(TEXT, text);
        };
        self.bytes.extend_from_slice(text.as_bytes());
        let length = (self.bytes.len() - begin - 5) as u32;
        self.bytes[begin + 1..begin + 5].copy_from_slice(&length.to_le_bytes());
    }

    fn start(&mut self, tag: &Tag<'_, 'h>) {
        self.event(if tag.empty { EMPTY } else { START }, tag.name);
        let attributes = all(self.html, tag.source);
        self.number(attributes.len());
        for attribute in attributes {
            self.string(&attribute.name);
            self.string(&attribute.value());
        }
    }

    fn end(&mut self, name: &str, _number: u16) {
        self.event(END, name);
    }
}
