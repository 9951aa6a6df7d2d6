//! The places of boxes: in rows, each part below all parts that it reads. Parts that can be
//! computed at the same time stand side by side, and PSQT values beside the main column.

use textwrap::{Options, wrap};

use super::{Column, Part};

/// The margin around the drawing, in pixels.
pub(super) const MARGIN: usize = 16;
pub(super) const PADDING: usize = 12;
pub(super) const LINE: usize = 18;
/// The space between two boxes of a row, in pixels.
const SPACE: usize = 20;
/// The width of a letter in the fonts of names and formulas, in pixels.
const LETTER: usize = 8;
/// The longest line of a box, in letters. The second limit is for boxes with others in their row.
const LONGEST: usize = 72;
const LONGEST_BESIDE: usize = 34;
/// The shortest line of a box, in letters: arrows need the space too.
const SHORTEST: usize = 24;
/// The most boxes of a row.
const BESIDE: usize = 3;

/// A part and its box.
pub(super) struct Placed {
    pub(super) part: Part,
    pub(super) row: usize,
    /// The facts, in lines below the name; empty if they stand beside the name.
    pub(super) facts: Vec<String>,
    pub(super) left: usize,
    pub(super) right: usize,
    pub(super) top: usize,
    pub(super) bottom: usize,
}

impl Placed {
    pub(super) fn middle(&self) -> usize {
        (self.left + self.right) / 2
    }
}

/// The row of each part.
pub(super) fn rows(parts: &[Part]) -> Vec<usize> {
    let are_values = |index: &usize| parts[*index].column == Column::Values;
    let (values, others): (Vec<usize>, Vec<usize>) = (0..parts.len()).partition(are_values);
    let mut rows: Vec<Option<usize>> = vec![None; parts.len()];
    for index in others {
        rows[index] = row_of(index, 0, parts, &rows);
    }
    // The outputs are below all other parts.
    let below = rows.iter().flatten().max().map_or(0, |last| last + 1);
    for index in values {
        rows[index] = row_of(index, below, parts, &rows);
    }
    rows.into_iter().flatten().collect()
}

/// The first row from `least` on that is below all parts which a part reads, and has room for it.
fn row_of(index: usize, least: usize, parts: &[Part], rows: &[Option<usize>]) -> Option<usize> {
    let part = &parts[index];
    let read = part.reads.iter().filter_map(|read| rows[*read]).max();
    let has_room = |row: &usize| {
        let beside = parts.iter().zip(rows);
        let mut beside = beside.filter(|(own, at)| **at == Some(*row) && own.column == part.column);
        match part.column {
            Column::Psqt => beside.next().is_none(),
            // The parts of perspectives have a row for themselves.
            Column::Main | Column::Values => {
                beside.clone().count() < BESIDE
                    && beside.all(|(own, _)| own.view.is_some() == part.view.is_some())
            }
        }
    };
    (least.max(read.map_or(0, |read| read + 1))..).find(has_room)
}

/// Gives every part its box. `gutter` is the width between the main column and the PSQT values, and
/// `gaps` is the height below each row.
pub(super) fn place(
    parts: Vec<Part>,
    rows: &[usize],
    gutter: usize,
    gaps: &[usize],
) -> Vec<Placed> {
    let is_psqt = |index: usize| parts[index].column == Column::Psqt;
    let beside = |index: usize| -> Vec<usize> {
        let own = (0..parts.len()).filter(|other| rows[*other] == rows[index]);
        own.filter(|other| is_psqt(*other) == is_psqt(index))
            .collect()
    };
    let widest = |of_psqt: bool, width: &dyn Fn(usize) -> usize| {
        let own = (0..parts.len()).filter(|index| is_psqt(*index) == of_psqt);
        own.map(width).max().unwrap_or(0)
    };
    let main = widest(false, &|index| {
        let count = beside(index).len();
        let letters = match count {
            1 => heading(&parts[index]).max(longest(&parts[index]).min(LONGEST)),
            _ => narrow(&parts[index]),
        };
        count * (2 * PADDING + LETTER * letters) + (count - 1) * SPACE
    });
    let psqt = widest(true, &|index| 2 * PADDING + LETTER * narrow(&parts[index]));
    let whole = match psqt {
        0 => main,
        psqt => main + gutter + psqt,
    };
    let mut placed: Vec<Placed> = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let row = beside(index);
        let spans_all = row.len() == 1 && (part.reads.is_empty() || part.column == Column::Values);
        let (left, width) = match part.column {
            Column::Psqt => (MARGIN + main + gutter, psqt),
            _ if spans_all => (MARGIN, whole),
            _ => {
                let width = (main - (row.len() - 1) * SPACE) / row.len();
                let number = row.iter().position(|other| *other == index).unwrap_or(0);
                (MARGIN + number * (width + SPACE), width)
            }
        };
        let letters = (width - 2 * PADDING) / LETTER;
        let mut part = part.clone();
        part.lines = part
            .lines
            .iter()
            .flat_map(|line| lines(line, letters))
            .collect();
        let facts = if row.len() > 1 || part.column == Column::Psqt {
            lines(&part.facts, letters)
        } else {
            Vec::new()
        };
        placed.push(Placed {
            part,
            row: rows[index],
            facts,
            left,
            right: left + width,
            top: 0,
            bottom: 0,
        });
    }
    let mut top = MARGIN + 2 * LINE;
    for (row, gap) in gaps.iter().enumerate() {
        let own = placed.iter().filter(|placed| placed.row == row);
        let lines = own.map(|own| 1 + own.facts.len() + own.part.lines.len());
        let bottom = top + 2 * PADDING + LINE * lines.max().unwrap_or(0);
        for own in placed.iter_mut().filter(|placed| placed.row == row) {
            (own.top, own.bottom) = (top, bottom);
        }
        top = bottom + gap;
    }
    placed
}

/// The number of letters in the first line of a box.
fn heading(part: &Part) -> usize {
    part.name.chars().count() + 2 + part.facts.chars().count()
}

/// The number of letters in the longest formula.
fn longest(part: &Part) -> usize {
    let lines = part.lines.iter().map(|line| line.chars().count());
    lines.max().unwrap_or(0)
}

/// The number of letters in a line of a box that shares its row.
fn narrow(part: &Part) -> usize {
    let view = part.view.map_or(0, |view| 2 + view.len());
    let text = longest(part).max(part.facts.chars().count());
    (part.name.chars().count() + view).max(text.clamp(SHORTEST, LONGEST_BESIDE))
}

/// A text in lines of at most `letters` letters.
fn lines(text: &str, letters: usize) -> Vec<String> {
    let options = Options::new(letters).subsequent_indent("  ");
    wrap(text, options).into_iter().map(String::from).collect()
}
