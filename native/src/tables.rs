//! Tables: the row that is open, the columns of its cells, and the text of a page with its rows.

use crate::columns::{KIND_HEADING, KIND_ROW, KIND_TABLE};
use crate::normal::nfc;
use crate::parents::unpacked;

/// Columns that are counted: the number of a column is a byte.
const MOST_COLUMNS: usize = 255;
/// Rows over which a cell may reach, as browsers have it.
const MOST_ROWS: usize = 65_534;

/// A table that is open.
#[derive(Default)]
pub struct Table {
    /// The node of the open row, once a cell of it has begun.
    pub row: Option<usize>,
    /// The column of the cell that began last, from 1 on.
    pub column: u8,
    has_begun: bool,
    number: usize,
    /// Columns of the row that are behind, and for each column the first row that may use it.
    next: usize,
    free: Vec<usize>,
}

impl Table {
    pub fn begin_row(&mut self) {
        (self.row, self.has_begun, self.next) = (None, true, 0);
        self.number += 1;
    }

    pub fn end_row(&mut self) {
        (self.row, self.has_begun) = (None, false);
    }

    /// Put a cell at the next free column; without a row around it, it begins one.
    pub fn begin_cell(&mut self, rows: usize, columns: usize) {
        if !self.has_begun {
            self.begin_row();
        }
        while self.free.get(self.next).is_some_and(|row| *row > self.number) {
            self.next += 1;
        }
        self.column = (self.next + 1).min(MOST_COLUMNS) as u8;
        let end = self.next.saturating_add(columns).min(MOST_COLUMNS);
        if rows > 1 && self.next < end {
            self.free.resize(end.max(self.free.len()), 0);
            self.free[self.next..end].fill(self.number + rows.min(MOST_ROWS));
        }
        self.next = end;
    }
}

/// Return the number in a `rowspan` or `colspan`; 1 if there is none.
pub fn spanned(value: &str) -> usize {
    let digits = value.trim_start().bytes().take_while(u8::is_ascii_digit);
    let number = digits.fold(0_usize, |sum, digit| {
        sum.saturating_mul(10).saturating_add(usize::from(digit - b'0'))
    });
    number.max(1)
}

const NONE: usize = usize::MAX;

/// Where a node stands: its table, its row, and the column of its cell; NONE and 0 outside of them.
#[derive(Clone, Copy)]
struct Place {
    table: usize,
    row: usize,
    column: u8,
}

const OUTSIDE: Place = Place { table: NONE, row: NONE, column: 0 };

/// Return all text of a page with the ends of rows and the empty cells of tables that hold data;
/// nothing if it has no such table.
///
/// A table holds data if at least two of its rows have at least two cells with text, and neither a
/// heading nor another table is in it: tables that only arrange a page look the same without rows.
/// Before and after each row stands a line feed in place of a space, and before a cell a tab for
/// each column that is empty.
pub fn with_rows<'a>(
    kinds: &[u8],
    parents: &[i32],
    grid: &[u8],
    text: impl Fn(usize) -> &'a str,
) -> Option<String> {
    if !kinds.contains(&KIND_ROW) {
        return None;
    }
    let places = places(kinds, parents, grid);
    let holds_data = data_tables(kinds, parents, &places);
    if !holds_data.contains(&true) {
        return None;
    }
    let mut joined = String::new();
    let mut last = OUTSIDE;
    for (node, place) in places.into_iter().enumerate() {
        let own = text(node);
        if own.is_empty() {
            continue;
        }
        let is_data = place.row != NONE && holds_data[place.table];
        let place = if is_data { place } else { OUTSIDE };
        if place.row != last.row {
            joined.push('\n');
            last = OUTSIDE;
        } else if !joined.is_empty() {
            joined.push(' ');
        }
        for _ in last.column + 1..place.column {
            joined.push('\t');
        }
        joined.push_str(own);
        last = place;
    }
    Some(joined)
}

fn places(kinds: &[u8], parents: &[i32], grid: &[u8]) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::with_capacity(kinds.len());
    for (node, kind) in kinds.iter().enumerate() {
        let parent = usize::try_from(parents[node]).ok();
        let around = parent.and_then(|parent| places.get(parent)).copied().unwrap_or(OUTSIDE);
        places.push(match *kind {
            KIND_TABLE => Place { table: node, ..OUTSIDE },
            KIND_ROW if around.table != NONE => Place { row: node, column: 0, ..around },
            _ if parent == Some(around.row) => Place { column: grid[node], ..around },
            _ => around,
        });
    }
    places
}

/// Return for each node whether it is a table that holds data.
fn data_tables(kinds: &[u8], parents: &[i32], places: &[Place]) -> Vec<bool> {
    let mut is_layout = vec![false; kinds.len()];
    let mut cells = vec![(0_u8, 0_u8); kinds.len()]; // of a row: the last column, how many, up to 2
    let mut wide = vec![0_usize; kinds.len()]; // of a table: its rows with several cells
    for (node, place) in places.iter().enumerate() {
        if matches!(kinds[node], KIND_TABLE | KIND_HEADING) {
            let parent = usize::try_from(parents[node]).ok().and_then(|parent| places.get(parent));
            if let Some(Place { table, .. }) = parent.filter(|parent| parent.table != NONE) {
                is_layout[*table] = true;
            }
        }
        if place.column > 0 {
            let (last, count) = &mut cells[place.row];
            if *last != place.column && *count < 2 {
                (*last, *count) = (place.column, *count + 1);
                wide[place.table] += usize::from(*count == 2);
            }
        }
    }
    is_layout.iter().zip(wide).map(|(is_layout, wide)| !is_layout && wide > 1).collect()
}

/// Return what the digest of a page covers, given its kinds, parents, columns of cells and lines:
/// its text in NFC, with the rows of tables that hold data.
pub fn digested(parts: &[&[u8]]) -> Option<Vec<u8>> {
    let [kinds, parents, grid, lines] = parts else { return None };
    let parents = unpacked(parents, kinds.len())?;
    let lines = std::str::from_utf8(lines).ok()?;
    let texts: Vec<&str> = if kinds.is_empty() { Vec::new() } else { lines.split('\n').collect() };
    if [grid.len(), texts.len()] != [kinds.len(); 2] {
        return None;
    }
    let joined = with_rows(kinds, &parents, grid, |node| texts[node]).unwrap_or_else(|| {
        let shown: Vec<&str> = texts.into_iter().filter(|text| !text.is_empty()).collect();
        shown.join(" ")
    });
    Some(nfc(&joined).into_owned().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::Reading;

    fn rows_of(html: &str) -> Option<String> {
        let nodes = Reading::of(html, 1 << 20, true, true).nodes;
        with_rows(&nodes.kinds, &nodes.parents, &nodes.grid, |node| nodes.at(node))
    }

    #[test]
    fn rows_of_data_are_seen() {
        let wide = "<p>x<table><tr><td>a<td>b<td>c<tr><td>d<td>e<td>f</table>y";
        assert_eq!(rows_of(wide).unwrap(), "x\na b c\nd e f\ny");
        let high = "<p>x<table><tr><th>a<td>b<tr><td>c<td>d<tr><td>e<td>f</table>y";
        assert_eq!(rows_of(high).unwrap(), "x\na b\nc d\ne f\ny");
        let gaps = "<table><tr><td>a<td><td>b<tr><td><td>c<td>d";
        assert_eq!(rows_of(gaps).unwrap(), "\na \tb\n\tc d");
    }

    #[test]
    fn rows_that_only_arrange_a_page_are_not() {
        for html in [
            "<p>a<p>b",
            "<table><tr><td>a</table>",
            "<table><tr><td>a<td>b</table>",
            "<table><tr><td>a<tr><td>b<tr><td>c</table>",
            "<table><tr><td colspan=2>Name<tr><td>menu<td>text</table>",
            "<table><tr><td>a<td><h2>b</h2>c<tr><td>d<td>e</table>",
            "<table><tr><td>a<td>b<tr><td>c<td><table><tr><td>d</table></table>",
        ] {
            assert_eq!(rows_of(html), None, "{html}");
        }
    }

    #[test]
    fn columns_of_cells() {
        let html = "<table><tr><th rowspan=2>a<th colspan=2>b<tr><td>c<td>d\
            <tr><td colspan=x>e<td rowspan=0>f<td><table><tr><td>g</table></table>";
        let nodes = Reading::of(html, 1 << 20, true, true).nodes;
        let columns = (0..nodes.len()).filter(|node| !nodes.at(*node).is_empty());
        let columns: Vec<(&str, u8)> =
            columns.map(|node| (nodes.at(node), nodes.grid[node])).collect();
        assert_eq!(columns, [("a", 1), ("b", 2), ("c", 2), ("d", 3), ("e", 1), ("f", 2), ("g", 1)]);
        assert_eq!(spanned("99999999999999999999999"), usize::MAX);
        let mut table = Table::default();
        for _ in 0..300 {
            table.begin_cell(usize::MAX, usize::MAX);
        }
        assert_eq!((table.column, table.free.len()), (255, MOST_COLUMNS));
    }

    #[test]
    fn columns_that_do_not_belong_together_are_refused() {
        assert_eq!(digested(&[&[1], &[0], &[0], b"a"]).unwrap(), b"a");
        assert_eq!(digested(&[&[], &[], &[], b""]).unwrap(), b"");
        assert!(digested(&[&[1], &[0], &[], b"a"]).is_none());
        assert!(digested(&[&[1], &[0], &[0], b"a\nb"]).is_none());
    }
}
