//! What the original engines computed: the tables under `goldens/`, which `goldens/README.md`
//! describes.

pub mod comparison;

use std::{fmt, fs, io, str::FromStr};

use cozy_chess::Color;
use flate2::read::GzDecoder;

/// One position of `goldens/<net>.tsv`, evaluated from scratch by the original engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoldenPosition {
    /// FEN of the position. Often no game reaches it, so boards of real engines may refuse it.
    pub fen: String,
    /// Side to move; every value is from its view.
    pub stm: Color,
    /// Layer stack that the engine uses here.
    pub bucket: usize,
    /// PSQT part per bucket, in the network's units; one 0 where the generation has none.
    pub psqt: Vec<i32>,
    /// Raw output per layer stack, in the network's units.
    pub positional: Vec<i32>,
    /// The engine's evaluation in its own units, before it blends in anything that is not the
    /// network's.
    pub engine: i32,
}

/// One position of `goldens/<net>.lines.tsv`, evaluated by the original engine's incremental
/// updates along a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoldenLinePly {
    /// Number of the line, as in [`Line::number`].
    pub line: usize,
    /// Moves made since the line's first position.
    pub ply: usize,
    /// FEN of the position.
    pub fen: String,
    /// Side to move; every value is from its view.
    pub stm: Color,
    /// Layer stack that the engine uses here.
    pub bucket: usize,
    /// PSQT part of that bucket, in the network's units.
    pub psqt: i32,
    /// Raw output of that layer stack, in the network's units.
    pub positional: i32,
    /// The engine's evaluation in its own units.
    pub engine: i32,
}

/// A line of `goldens/<set>/lines.txt`: moves to make one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The number that [`GoldenLinePly::line`] refers to; numbers ascend, but may leave gaps.
    pub number: usize,
    /// FEN of the first position.
    pub fen: String,
    /// Moves in UCI notation; castling as the king's two steps.
    pub moves: Vec<String>,
}

/// Why a table could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GoldenError {
    /// The file cannot be read.
    Read {
        /// Path of the file.
        file: String,
        /// What the operating system said.
        message: String,
    },
    /// The header lacks a column.
    MissingColumn {
        /// Path of the file.
        file: String,
        /// Name of the column.
        column: String,
    },
    /// A row has too few or too many cells.
    CellCount {
        /// Path of the file.
        file: String,
        /// Line in the file, from 1.
        line: usize,
        /// Cells in this row.
        found: usize,
        /// Columns of the table.
        expected: usize,
    },
    /// A cell has a content that its column does not allow.
    Cell {
        /// Path of the file.
        file: String,
        /// Line in the file, from 1.
        line: usize,
        /// Name of the column.
        column: String,
        /// The content of the cell.
        found: String,
        /// The contents that are allowed.
        expected: &'static str,
    },
}

/// The positions of a net, as `golden_positions("synthetic/v5")`.
///
/// # Errors
///
/// If the table is missing or malformed.
pub fn golden_positions(net: &str) -> Result<Vec<GoldenPosition>, GoldenError> {
    let (file, text) = read(&format!("{net}.tsv"))?;
    Table::with_header(&file, &text)?.rows(|row| {
        let stacks = row.table.count_of("positional");
        let per_stack = |part: &str| -> Result<Vec<i32>, GoldenError> {
            (0..stacks)
                .map(|stack| row.number(&format!("{part}{stack}")))
                .collect()
        };
        Ok(GoldenPosition {
            fen: row.cell("fen")?.to_owned(),
            stm: row.side_to_move()?,
            bucket: row.bucket(stacks)?,
            psqt: per_stack("psqt")?,
            positional: per_stack("positional")?,
            engine: row.number("engine")?,
        })
    })
}

/// A value that the original engine computed in 32 bits, where it wrapped around.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrappedValue {
    /// The position, as in [`GoldenPosition::fen`].
    pub fen: String,
    /// Layer stack, from 0.
    pub bucket: usize,
    /// The value of the golden.
    pub positional: i32,
    /// The exact value, which the net computes.
    pub exact: i32,
}

/// The goldens of a net that wrapped around in 32 bits, as
/// `wrapped_values("real/nn-1c0000000000")`.
///
/// # Errors
///
/// If the table is missing or malformed.
pub fn wrapped_values(net: &str) -> Result<Vec<WrappedValue>, GoldenError> {
    let (file, text) = read(&format!("{net}.wrapped.tsv"))?;
    Table::with_header(&file, &text)?.rows(|row| {
        Ok(WrappedValue {
            fen: row.cell("fen")?.to_owned(),
            bucket: row.number("bucket")?,
            positional: row.number("positional")?,
            exact: row.number("exact")?,
        })
    })
}

/// The plies of a net's lines, as `golden_line_plies("synthetic/v5")`; each line's plies are
/// adjacent and ascend from 0.
///
/// # Errors
///
/// If the table is missing or malformed.
pub fn golden_line_plies(net: &str) -> Result<Vec<GoldenLinePly>, GoldenError> {
    let (file, text) = read(&format!("{net}.lines.tsv"))?;
    Table::with_header(&file, &text)?.rows(|row| {
        Ok(GoldenLinePly {
            line: row.number("line")?,
            ply: row.number("ply")?,
            fen: row.cell("fen")?.to_owned(),
            stm: row.side_to_move()?,
            bucket: row.bucket(8)?,
            psqt: row.number("psqt")?,
            positional: row.number("positional")?,
            engine: row.number("engine")?,
        })
    })
}

/// The lines of a set, `synthetic` or `real`, that its nets' plies were computed along.
///
/// # Errors
///
/// If the list is missing or malformed.
pub fn golden_lines(set: &str) -> Result<Vec<Line>, GoldenError> {
    let (file, text) = read(&format!("{set}/lines.txt"))?;
    let numbered = text
        .lines()
        .next()
        .is_some_and(|line| line.split('\t').count() == 3);
    let columns = if numbered {
        vec!["line", "fen", "moves"]
    } else {
        vec!["fen", "moves"]
    };
    let table = Table {
        file: &file,
        columns,
        first_line: 1,
        text: &text,
    };
    table.rows(|row| {
        Ok(Line {
            number: if numbered {
                row.number("line")?
            } else {
                row.line - 1
            },
            fen: row.cell("fen")?.to_owned(),
            moves: row.cell("moves")?.split(' ').map(str::to_owned).collect(),
        })
    })
}

impl fmt::Display for GoldenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read { file, message } => write!(f, "cannot read `{file}`: {message}"),
            Self::MissingColumn { file, column } => {
                write!(f, "{file}:1: found no column `{column}`")
            }
            Self::CellCount {
                file,
                line,
                found,
                expected,
            } => {
                write!(f, "{file}:{line}: found {found} cells, expected {expected}")
            }
            Self::Cell {
                file,
                line,
                column,
                found,
                expected,
            } => {
                write!(
                    f,
                    "{file}:{line}: column `{column}`: found `{found}`, expected {expected}"
                )
            }
        }
    }
}

impl std::error::Error for GoldenError {}

/// The values of an engine's network for the net of [`crate::engine_nets`]: FENs, and for each the
/// value from the view of the side to move, and then those of further heads.
///
/// # Errors
///
/// If the table is missing or malformed.
pub fn golden_values(
    engine: &str,
    heads: &[&'static str],
) -> Result<Vec<(String, Vec<i32>)>, GoldenError> {
    let (file, text) = read(&format!("engines/{engine}.tsv.gz"))?;
    let values: Vec<&str> = ["value"].iter().chain(heads).copied().collect();
    let table = Table {
        file: &file,
        columns: ["fen"].iter().chain(&values).copied().collect(),
        first_line: 1,
        text: &text,
    };
    table.rows(|row| {
        let values = values.iter().map(|value| row.number(value));
        Ok((
            row.cell("fen")?.to_owned(),
            values.collect::<Result<_, _>>()?,
        ))
    })
}

/// The text of a table, as `table("synthetic/v5.tsv")`. Those of `synthetic/v17` follow from
/// `synthetic/v16`: the same net without PSQT. A table whose name ends in `.gz` is unpacked.
///
/// # Errors
///
/// If the table is missing.
pub fn table(name: &str) -> Result<String, GoldenError> {
    Ok(read(name)?.1)
}

fn read(name: &str) -> Result<(String, String), GoldenError> {
    let stored = name.replace("synthetic/v17.", "synthetic/v16.");
    let file = format!("{}/../goldens/{stored}", env!("CARGO_MANIFEST_DIR"));
    let text = if name.ends_with(".gz") {
        fs::File::open(&file).and_then(|packed| io::read_to_string(GzDecoder::new(packed)))
    } else {
        fs::read_to_string(&file)
    };
    match text {
        Ok(text) if stored == name => Ok((file, text)),
        Ok(text) => Ok((file, without_psqt(&text))),
        Err(error) => Err(GoldenError::Read {
            file,
            message: error.to_string(),
        }),
    }
}

/// A table for the network without PSQT: its value is the layers' part alone. Cells that cannot be
/// read stay as they are, for the reader to report.
fn without_psqt(text: &str) -> String {
    let (header, rows) = text.split_once('\n').unwrap_or((text, ""));
    let columns: Vec<&str> = header.trim_start_matches('#').split('\t').collect();
    let row = |row: &str| {
        let cells: Vec<&str> = row.split('\t').collect();
        let named = |name: &str| {
            let column = columns.iter().position(|column| *column == name)?;
            cells.get(column).copied()
        };
        // Tables of lines have the part of one bucket.
        let positional = named("positional").or_else(|| {
            let bucket = named("bucket")?;
            named(&format!("positional{bucket}"))
        });
        let value = positional.and_then(|part| Some(part.parse::<i32>().ok()? / 16));
        let changed = |(cell, column): (&&str, &&str)| match (*column, value) {
            (column, _) if column.starts_with("psqt") => "0".to_owned(),
            ("engine" | "engine_adj", Some(value)) => value.to_string(),
            _ => (*cell).to_owned(),
        };
        let cells = cells.iter().zip(&columns).map(changed);
        cells.collect::<Vec<String>>().join("\t") + "\n"
    };
    format!("{header}\n{}", rows.lines().map(row).collect::<String>())
}

/// Tab-separated rows of named columns.
struct Table<'t> {
    file: &'t str,
    columns: Vec<&'t str>,
    /// Number in the file of the first line of `text`.
    first_line: usize,
    text: &'t str,
}

struct Row<'r> {
    table: &'r Table<'r>,
    line: usize,
    cells: Vec<&'r str>,
}

impl<'t> Table<'t> {
    /// A table whose first line names the columns, after a `#`.
    fn with_header(file: &'t str, text: &'t str) -> Result<Self, GoldenError> {
        let (header, text) = text.split_once('\n').unwrap_or((text, ""));
        let Some(header) = header.strip_prefix('#') else {
            return Err(GoldenError::Cell {
                file: file.to_owned(),
                line: 1,
                column: "header".to_owned(),
                found: header.to_owned(),
                expected: "`#` and the names of the columns",
            });
        };
        Ok(Self {
            file,
            columns: header.split('\t').collect(),
            first_line: 2,
            text,
        })
    }

    fn rows<T>(
        &self,
        parse: impl Fn(&Row<'_>) -> Result<T, GoldenError>,
    ) -> Result<Vec<T>, GoldenError> {
        let lines = self.text.lines().zip(self.first_line..);
        let row = |(text, line): (&str, usize)| {
            let cells: Vec<_> = text.split('\t').collect();
            if cells.len() != self.columns.len() {
                let (found, expected) = (cells.len(), self.columns.len());
                return Err(GoldenError::CellCount {
                    file: self.file.to_owned(),
                    line,
                    found,
                    expected,
                });
            }
            parse(&Row {
                table: self,
                line,
                cells,
            })
        };
        lines.map(row).collect()
    }

    /// How many columns are called `prefix` and a number.
    fn count_of(&self, prefix: &str) -> usize {
        let numbered = |column: &&&str| {
            column
                .strip_prefix(prefix)
                .is_some_and(|number| number.parse::<usize>().is_ok())
        };
        self.columns.iter().filter(numbered).count()
    }
}

impl Row<'_> {
    fn cell(&self, column: &str) -> Result<&str, GoldenError> {
        match self.table.columns.iter().position(|&name| name == column) {
            Some(idx) => Ok(self.cells[idx]),
            None => Err(GoldenError::MissingColumn {
                file: self.table.file.to_owned(),
                column: column.to_owned(),
            }),
        }
    }

    fn number<N: FromStr>(&self, column: &str) -> Result<N, GoldenError> {
        self.cell(column)?
            .parse()
            .map_err(|_| self.unexpected(column, "an integer in range"))
    }

    fn bucket(&self, stacks: usize) -> Result<usize, GoldenError> {
        match self.number("bucket")? {
            bucket if bucket < stacks => Ok(bucket),
            _ => Err(self.unexpected("bucket", "the number of a layer stack, from 0")),
        }
    }

    fn side_to_move(&self) -> Result<Color, GoldenError> {
        let stm = self.cell("stm")?;
        if self.cell("fen")?.split(' ').nth(1) != Some(stm) {
            return Err(self.unexpected("stm", "the side to move of the row's position"));
        }
        match stm {
            "w" => Ok(Color::White),
            "b" => Ok(Color::Black),
            _ => Err(self.unexpected("stm", "`w` or `b`")),
        }
    }

    fn unexpected(&self, column: &str, expected: &'static str) -> GoldenError {
        GoldenError::Cell {
            file: self.table.file.to_owned(),
            line: self.line,
            column: column.to_owned(),
            found: self.cell(column).unwrap_or_default().to_owned(),
            expected,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use cozy_chess::{Board, util::parse_uci_move};

    use super::*;

    /// `set/net` of every table in the folder, so that new tables are checked too.
    fn nets() -> Vec<String> {
        let mut nets = Vec::new();
        for set in ["synthetic", "real"] {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../goldens")
                .join(set);
            for entry in fs::read_dir(folder).unwrap() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                if let Some(net) = name
                    .strip_suffix(".tsv")
                    .filter(|net| !net.ends_with(".lines") && !net.ends_with(".wrapped"))
                {
                    nets.push(format!("{set}/{net}"));
                }
            }
        }
        assert!(
            nets.contains(&"synthetic/v5".to_owned())
                && nets.contains(&"real/nn-ad9b42354671".to_owned())
        );
        nets
    }

    /// Whether `engine` follows from both parts: some generations divide and truncate the sum,
    /// others each part.
    fn is_engine_value(engine: i32, psqt: i32, positional: i32) -> bool {
        engine == (psqt + positional) / 16 || engine == psqt / 16 + positional / 16
    }

    #[test]
    fn positions_are_complete_and_agree_with_themselves() {
        for net in nets() {
            let positions = golden_positions(&net).unwrap();
            assert_eq!(
                positions.len(),
                if net.starts_with("real") { 1000 } else { 400 },
                "{net}"
            );
            for GoldenPosition {
                fen,
                bucket,
                psqt,
                positional,
                engine,
                ..
            } in positions
            {
                let placement = fen.split(' ').next().unwrap();
                let pieces = placement
                    .chars()
                    .filter(|symbol| symbol.is_ascii_alphabetic())
                    .count();
                assert_eq!(
                    bucket,
                    if psqt.len() == 8 { (pieces - 1) / 4 } else { 0 },
                    "{net}: {fen}"
                );
                assert_eq!(psqt.len(), positional.len(), "{net}: {fen}");
                assert!(
                    is_engine_value(engine, psqt[bucket], positional[bucket]),
                    "{net}: {fen}"
                );
            }
        }
    }

    #[test]
    fn plies_are_the_positions_that_the_lines_reach() {
        for net in nets() {
            let set = net.split('/').next().unwrap();
            let Ok(plies) = golden_line_plies(&net) else {
                continue;
            };
            let mut plies = plies.iter();
            for line in golden_lines(set).unwrap() {
                let mut board: Board = line.fen.parse().unwrap();
                for ply in 0..=line.moves.len() {
                    let golden = plies.next().unwrap();
                    assert_eq!((golden.line, golden.ply), (line.number, ply), "{net}");
                    let reached = board.to_string();
                    let shown = |fen: &str| fen.split(' ').take(3).collect::<Vec<_>>().join(" ");
                    assert_eq!(
                        shown(&reached),
                        shown(&golden.fen),
                        "{net}: line {} ply {ply}",
                        line.number
                    );
                    assert_eq!(board.side_to_move(), golden.stm);
                    assert!(
                        is_engine_value(golden.engine, golden.psqt, golden.positional),
                        "{net}: {}",
                        golden.fen
                    );
                    if let Some(uci) = line.moves.get(ply) {
                        board.play(parse_uci_move(&board, uci).unwrap());
                    }
                }
            }
            assert_eq!(plies.next(), None, "{net}: plies beyond the last line");
        }
    }

    #[test]
    fn errors_name_file_line_and_column() {
        let parse = |text: &str| {
            let table = Table::with_header("t.tsv", text)?;
            table.rows(|row| {
                Ok((
                    row.side_to_move()?,
                    row.bucket(8)?,
                    row.number::<i32>("psqt0")?,
                ))
            })
        };
        let header = "#fen\tstm\tbucket\tpsqt0\n8/8 w\tw\t7\t-3\n";
        assert_eq!(parse(header), Ok(vec![(Color::White, 7, -3)]));
        for (text, expected) in [
            (
                "fen\tstm\n",
                "t.tsv:1: column `header`: found `fen\tstm`, expected `#` and the names of the columns",
            ),
            ("#fen\tstm\n8/8 w\tw", "t.tsv:1: found no column `bucket`"),
            (
                &format!("{header}8/8 w\tw\t7"),
                "t.tsv:3: found 3 cells, expected 4",
            ),
            (
                &format!("{header}8/8 w\tb\t7\t1"),
                "t.tsv:3: column `stm`: found `b`, expected the side to move of the row's position",
            ),
            (
                &format!("{header}8/8 x\tx\t7\t1"),
                "t.tsv:3: column `stm`: found `x`, expected `w` or `b`",
            ),
            (
                &format!("{header}8/8 w\tw\t8\t1"),
                "t.tsv:3: column `bucket`: found `8`, expected the number of a layer stack, from 0",
            ),
            (
                &format!("{header}8/8 w\tw\t7\t2147483648"),
                "t.tsv:3: column `psqt0`: found `2147483648`, expected an integer in range",
            ),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn tables_without_psqt_keep_the_layers_part() {
        let [with, without] = ["synthetic/v16", "synthetic/v17"];
        let [positions, others] = [with, without].map(|net| golden_positions(net).unwrap());
        for (golden, other) in positions.iter().zip(&others) {
            let expected = GoldenPosition {
                psqt: vec![0; 8],
                engine: golden.positional[golden.bucket] / 16,
                ..golden.clone()
            };
            assert_eq!(*other, expected);
        }
        let [plies, others] = [with, without].map(|net| golden_line_plies(net).unwrap());
        for (golden, other) in plies.iter().zip(&others) {
            let expected = GoldenLinePly {
                psqt: 0,
                engine: golden.positional / 16,
                ..golden.clone()
            };
            assert_eq!(*other, expected);
        }
        assert_eq!((positions.len(), plies.len()), (400, others.len()));
    }

    #[test]
    fn a_missing_table_is_named() {
        let error = golden_positions("synthetic/v99").unwrap_err().to_string();
        assert!(error.contains("goldens/synthetic/v99.tsv"), "{error}");
    }
}
