//! `nnue draw`: what stands in the pictures.

mod program;

use std::collections::BTreeSet;

use nnue_test_support::specs::specs_in;
use roxmltree::{Document, Node};

use crate::program::{output, refusal, scratch, scratch_path, text};

/// A box of a picture.
#[derive(Debug)]
struct Drawn {
    name: String,
    facts: String,
    formula: String,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Drawn {
    fn of(group: Node<'_, '_>) -> Drawn {
        let rect = with(group, |node| node.has_tag_name("rect"));
        let rect = rect.into_iter().next().expect("a box is a rectangle");
        let number = |name| {
            rect.attribute(name)
                .expect("it has a place")
                .parse()
                .expect("numbers")
        };
        let (left, top): (f64, f64) = (number("x"), number("y"));
        let (width, height): (f64, f64) = (number("width"), number("height"));
        let own = |class| {
            let lines = with(group, |node| node.attribute("class") == Some(class));
            let lines: Vec<_> = lines.into_iter().filter_map(|line| line.text()).collect();
            lines.join(" ").replace("   ", " ")
        };
        let drawn = Drawn {
            name: own("name"),
            facts: own("facts"),
            formula: own("formula"),
            left,
            right: left + width,
            top,
            bottom: top + height,
        };
        for line in with(group, |node| node.has_tag_name("text")) {
            let y: f64 = line
                .attribute("y")
                .expect("text has a place")
                .parse()
                .expect("numbers");
            assert!(top + 10.0 < y && y < drawn.bottom, "{drawn:?}: {y}");
            // Letters of a fixed width have 0.6 of their height; names and facts stand side by side.
            let letters = line.text().map_or(0, |text| text.chars().count()) as f64;
            assert!(letters * 7.2 <= width - 20.0, "{drawn:?}");
        }
        let heading = (drawn.name.chars().count() + drawn.facts.chars().count()) as f64;
        assert!(heading * 7.5 <= width - 20.0, "{drawn:?}");
        drawn
    }
}

/// What a group has in it of one sort.
fn with<'a, 'input>(
    group: Node<'a, 'input>,
    is_it: impl Fn(&Node<'a, 'input>) -> bool,
) -> Vec<Node<'a, 'input>> {
    group.descendants().filter(is_it).collect()
}

/// The boxes from top to bottom, and the numbers of what each arrow connects. Arrows begin at the
/// edge of the one box and end at that of the other.
fn read(picture: &str) -> (Vec<Drawn>, Vec<(usize, usize)>) {
    let document = Document::parse(picture).unwrap_or_else(|error| panic!("{error}\n{picture}"));
    let of_class = |class| {
        with(document.root(), |node| {
            node.attribute("class") == Some(class)
        })
    };
    let boxes: Vec<Drawn> = of_class("box").into_iter().map(Drawn::of).collect();
    let stand_apart = boxes
        .windows(2)
        .all(|pair| pair[0].bottom + 8.0 < pair[1].top);
    assert!(stand_apart, "{boxes:?}");
    let mut arrivals = BTreeSet::new();
    let arrows = of_class("arrow").into_iter().map(|group| {
        let [from, to] = ["data-from", "data-to"].map(|name| {
            let number = group.attribute(name).expect("arrows connect boxes");
            number.parse::<usize>().expect("boxes have numbers")
        });
        let connected = (from, to);
        let (from, to) = (&boxes[from], &boxes[to]);
        let paths = with(group, |node| node.has_tag_name("path"));
        let [line, head] = paths[..] else {
            panic!("an arrow has a line and a head");
        };
        let (x, y) = start(line);
        let leaves_right = x == from.right && from.top < y && y < from.bottom;
        let leaves_below = y == from.bottom && from.left < x && x < from.right;
        assert!(leaves_right || leaves_below, "{from:?}: {x} {y}");
        let (x, y) = start(head);
        let arrives_right = x == to.right && to.top < y && y < to.bottom;
        let arrives_above = y == to.top && to.left < x && x < to.right;
        assert!(arrives_right || arrives_above, "{to:?}: {x} {y}");
        assert!(
            arrivals.insert((x as i64, y as i64)),
            "two arrows at {x} {y}"
        );
        connected
    });
    let arrows = arrows.collect();
    let numbers = of_class("box")
        .into_iter()
        .map(|group| group.attribute("data-box"));
    for (index, number) in numbers.enumerate() {
        assert_eq!(number, Some(index.to_string().as_str()));
    }
    (boxes, arrows)
}

/// The first point of a path.
fn start(path: Node<'_, '_>) -> (f64, f64) {
    let path = path.attribute("d").expect("paths have points");
    let point = path.strip_prefix('M').expect("paths begin with a point");
    let mut numbers = point.split([' ', 'H', 'V']).map(str::parse);
    let mut next = || numbers.next().expect("a number").expect("a number");
    (next(), next())
}

#[test]
fn sfnnv9_is_drawn_box_by_box() {
    let (boxes, arrows) = read(&output(&["draw", "../specs/sfnnv9.toml"]));
    let found: Vec<[&str; 3]> = boxes
        .iter()
        .map(|drawn| [&*drawn.name, &drawn.facts, &drawn.formula])
        .collect();
    let set = "HalfKAv2_hm: 22528 rows of i16, at most 32 active, by pieces";
    let expected = [
        ["features", "for each of 2 perspectives", set],
        [
            "accumulator",
            "2 x 3072 i16, 1.0 is 127",
            "biases + active features' rows",
        ],
        [
            "psqt sums",
            "2 x 8 i32, 1.0 is 9600",
            "active features' PSQT rows",
        ],
        [
            "clipped",
            "2 x 3072 u8 from 0 to 127, 1.0 is 127",
            "clamp(accumulator, 0, 127)",
        ],
        [
            "transformer",
            "3072 u8 from 0 to 126, 1.0 is 127",
            "clipped[j] * clipped[j + 1536] >> 7",
        ],
        [
            "fc_0",
            "16 i32 from -49545216 to 49158144, 1.0 is 8128",
            "affine(transformer), i8 with one 64, sparse",
        ],
        [
            "ac_sqr_0",
            "15 u8 from 0 to 127, 1.0 is 127",
            "min(x * x >> 19, 127), x = fc_0[..15]",
        ],
        [
            "ac_0",
            "15 u8 from 0 to 127, 1.0 is 127",
            "clamp(x >> 6, 0, 127), x = fc_0[..15]",
        ],
        [
            "fc_1",
            "32 i32 from -487680 to 483870, 1.0 is 8128",
            "affine(ac_sqr_0 ++ ac_0), i8 with one 64",
        ],
        [
            "ac_1",
            "32 u8 from 0 to 127, 1.0 is 127",
            "clamp(x >> 6, 0, 127), x = fc_1",
        ],
        [
            "fc_2",
            "1 i32 from -520192 to 516128, 1.0 is 9600",
            "affine(ac_1), i8 with one 9600 / 127",
        ],
        [
            "positional",
            "1 i32, 1.0 is 9600",
            "fc_2 + fc_0[15] * 150 / 127",
        ],
        [
            "psqt",
            "1 i32, 1.0 is 9600",
            "(own - opponent's psqt sum) / 2",
        ],
        ["value", "1 i32, 1.0 is 600", "psqt / 16 + positional / 16"],
    ];
    assert_eq!(found, expected);
    let mut expected = [
        ("features", "accumulator"),
        ("features", "psqt sums"),
        ("accumulator", "clipped"),
        ("clipped", "transformer"),
        ("transformer", "fc_0"),
        ("fc_0", "ac_sqr_0"),
        ("fc_0", "ac_0"),
        ("ac_sqr_0", "fc_1"),
        ("ac_0", "fc_1"),
        ("fc_1", "ac_1"),
        ("ac_1", "fc_2"),
        ("fc_2", "positional"),
        ("fc_0", "positional"),
        ("psqt sums", "psqt"),
        ("psqt", "value"),
        ("positional", "value"),
    ];
    let names = arrows
        .iter()
        .map(|(from, to)| (&*boxes[*from].name, &*boxes[*to].name));
    let mut arrows: Vec<(&str, &str)> = names.collect();
    arrows.sort_unstable();
    expected.sort_unstable();
    assert_eq!(arrows, expected);
}

/// An arrow comes from each tensor that a formula names, and from no other.
#[test]
fn arrows_come_from_what_formulas_name() {
    let specs = specs_in("specs");
    assert!(specs.len() > 60, "{specs:?}");
    for spec in specs {
        let spec = text(&spec);
        let (boxes, arrows) = read(&output(&["draw", &spec]));
        let names: BTreeSet<&str> = boxes.iter().map(|drawn| &*drawn.name).collect();
        for (index, drawn) in boxes.iter().enumerate() {
            let sources = arrows.iter().filter(|(_, to)| *to == index);
            let found: BTreeSet<&str> = sources.map(|(from, _)| &*boxes[*from].name).collect();
            let formula = drawn
                .formula
                .replace("psqt sum", "psqt_sums")
                .replace(") squared", ")");
            let words =
                formula.split(|letter: char| !(letter.is_alphanumeric() || "_.".contains(letter)));
            let words = words.map(|word| match word {
                "psqt_sums" | "psqt_sumss" => "psqt sums",
                "features" => "features",
                word => word,
            });
            let mut expected: BTreeSet<&str> = words.filter(|word| names.contains(word)).collect();
            if drawn.name == "features" {
                expected.clear();
            }
            assert_eq!(found, expected, "{spec}: {drawn:?}");
        }
    }
}

#[test]
fn any_name_can_stand_in_a_picture() {
    let spec = include_str!("../../specs/small128.toml");
    let spec = spec.replacen("\"small128\"", r#"'<a> & "b"'"#, 1);
    let picture = output(&["draw", &scratch("draw_names.toml", spec.as_bytes())]);
    let document = Document::parse(&picture).unwrap_or_else(|error| panic!("{error}"));
    let title = with(document.root(), |node| {
        node.attribute("class") == Some("network")
    });
    assert_eq!(title[0].text(), Some(r#"<a> & "b""#));
}

#[test]
fn the_picture_in_the_readme_is_what_the_command_draws() {
    let path = text(&scratch_path("sfnnv9.svg"));
    assert_eq!(
        output(&["draw", "../specs/sfnnv9.toml", "--out", &path]),
        ""
    );
    let drawn = std::fs::read_to_string(path).expect("it was written");
    let committed = std::fs::read_to_string("../docs/sfnnv9.svg").expect("it is there");
    assert!(
        drawn == committed,
        "run: nnue draw specs/sfnnv9.toml --out docs/sfnnv9.svg"
    );
}

#[test]
fn a_place_that_cannot_be_written_is_an_error() {
    let message = refusal(
        1,
        &["draw", "../specs/small128.toml", "--out", "/nowhere/a.svg"],
    );
    assert!(
        message.contains("cannot write `/nowhere/a.svg`: "),
        "{message}"
    );
}
