//! `nnue draw`: what stands in the pictures.

use std::collections::BTreeSet;

use nnue_test_support::specs::specs_in;
use roxmltree::{Document, Node};

use crate::program::{output, refusal, scratch, scratch_path, text};

/// A box of a picture.
#[derive(Debug)]
struct Drawn {
    name: String,
    /// Whose view it is of; empty where it is of neither.
    view: String,
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
            view: own("view"),
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
        // What stands beside the name has its height.
        let places = with(group, |node| node.has_tag_name("text"));
        let places = places.into_iter().map(|line| {
            let letters = line.text().map_or(0, |text| text.chars().count());
            (line.attribute("y").expect("text has a place"), letters)
        });
        let places: Vec<(&str, usize)> = places.collect();
        let of_height = |y| places.iter().filter(move |(own, _)| *own == y);
        for (y, _) in &places {
            let letters: usize = of_height(*y).map(|(_, letters)| letters).sum();
            let beside = of_height(*y).count();
            assert!(
                letters as f64 * 7.5 + 12.0 * beside as f64 <= width,
                "{drawn:?}"
            );
        }
        let mut heights: Vec<f64> = places
            .iter()
            .map(|(y, _)| y.parse().expect("numbers"))
            .collect();
        heights.sort_by(f64::total_cmp);
        heights.dedup();
        assert!(
            heights.windows(2).all(|pair| pair[0] + 16.0 <= pair[1]),
            "{drawn:?}"
        );
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

/// A straight part of an arrow: the box that the arrow comes from, and two points.
type Line = (usize, [(f64, f64); 2]);

/// The boxes from top to bottom, and the numbers of what each arrow connects. Boxes stand apart, and
/// arrows go from below one box to the top of a lower one, through no other box and along no other
/// part's arrow.
fn read(picture: &str) -> (Vec<Drawn>, Vec<(usize, usize)>) {
    let document = Document::parse(picture).unwrap_or_else(|error| panic!("{error}\n{picture}"));
    let of_class = |class| {
        with(document.root(), |node| {
            node.attribute("class") == Some(class)
        })
    };
    let size = ["width", "height"].map(|name| {
        let size = document.root_element().attribute(name);
        size.expect("it has a size")
            .parse::<f64>()
            .expect("a number")
    });
    let boxes: Vec<Drawn> = of_class("box").into_iter().map(Drawn::of).collect();
    assert_apart(&boxes, size);
    let mut arrivals = BTreeSet::new();
    let mut lines: Vec<Line> = Vec::new();
    let arrows = of_class("arrow").into_iter().map(|group| {
        let [source, target] = ["data-from", "data-to"].map(|name| {
            let number = group.attribute(name).expect("arrows connect boxes");
            number.parse::<usize>().expect("boxes have numbers")
        });
        let (from, to) = (&boxes[source], &boxes[target]);
        let paths = with(group, |node| node.has_tag_name("path"));
        let [line, head] = paths[..] else {
            panic!("an arrow has a line and a head");
        };
        let mut points = points(line);
        let (x, y) = points[0];
        assert!(
            y == from.bottom && from.left < x && x < from.right,
            "{from:?}"
        );
        let tip = start(head);
        assert!(
            tip.1 == to.top && to.left < tip.0 && tip.0 < to.right,
            "{to:?}"
        );
        assert_eq!(points[points.len() - 1], (tip.0, tip.1 - 8.0), "{to:?}");
        assert!(
            arrivals.insert((tip.0 as i64, tip.1 as i64)),
            "two arrows at {tip:?}"
        );
        points.push(tip);
        for pair in points.windows(2) {
            assert!(pair.iter().all(|(x, _)| *x < size[0] - 4.0), "{pair:?}");
            lines.push((source, [pair[0], pair[1]]));
        }
        (source, target)
    });
    let arrows: Vec<(usize, usize)> = arrows.collect();
    assert_free(&lines, &boxes);
    let numbers = of_class("box")
        .into_iter()
        .map(|group| group.attribute("data-box"));
    for (index, number) in numbers.enumerate() {
        assert_eq!(number, Some(index.to_string().as_str()));
    }
    (boxes, arrows)
}

/// Confirms that boxes stand apart, and within a picture of this width and height.
fn assert_apart(boxes: &[Drawn], size: [f64; 2]) {
    for (index, own) in boxes.iter().enumerate() {
        assert!(own.left > 8.0 && own.right < size[0] - 8.0, "{own:?}");
        assert!(own.bottom < size[1] - 8.0, "{own:?}");
        for other in &boxes[..index] {
            let beside = own.right + 8.0 < other.left || other.right + 8.0 < own.left;
            let apart = own.bottom + 8.0 < other.top || other.bottom + 8.0 < own.top;
            assert!(beside || apart, "{own:?}\n{other:?}");
        }
    }
}

/// Confirms that lines go through no box and along no line from another box.
fn assert_free(lines: &[Line], boxes: &[Drawn]) {
    let spans = |[(x, y), (to_x, to_y)]: [(f64, f64); 2]| {
        ([x.min(to_x), x.max(to_x)], [y.min(to_y), y.max(to_y)])
    };
    for (index, (source, line)) in lines.iter().enumerate() {
        let ([left, right], [top, bottom]) = spans(*line);
        let crossed = boxes.iter().find(|own| {
            own.left < right && left < own.right && own.top < bottom && top < own.bottom
        });
        assert!(crossed.is_none(), "{line:?}: {crossed:?}");
        for (other, own) in lines[..index].iter().filter(|(other, _)| other != source) {
            let ([from_x, to_x], [from_y, to_y]) = spans(*own);
            let along_x = top == bottom && from_y == to_y && top == from_y;
            let along_y = left == right && from_x == to_x && left == from_x;
            let is_along = along_x && left <= to_x && from_x <= right
                || along_y && top <= to_y && from_y <= bottom;
            assert!(!is_along, "{source}: {line:?}, {other}: {own:?}");
        }
    }
}

/// The first point of a path.
fn start(path: Node<'_, '_>) -> (f64, f64) {
    let path = path.attribute("d").expect("paths have points");
    let point = path.strip_prefix('M').expect("paths begin with a point");
    let mut numbers = point.split(' ').take(2).map(str::parse);
    let mut next = || numbers.next().expect("two numbers").expect("a number");
    (next(), next())
}

/// The corners of a path that goes down and sideways.
fn points(path: Node<'_, '_>) -> Vec<(f64, f64)> {
    let mut points = vec![start(path)];
    let steps = path
        .attribute("d")
        .expect("paths have points")
        .split(' ')
        .skip(2);
    for step in steps {
        let (x, y) = points[points.len() - 1];
        let (direction, end) = step.split_at(1);
        let end: f64 = end.parse().expect("a number");
        points.push(match direction {
            "H" => (end, y),
            "V" => (x, end),
            _ => panic!("{step}"),
        });
    }
    points
}

#[test]
fn sfnnv9_is_drawn_box_by_box() {
    let (boxes, arrows) = read(&output(&["draw", "../specs/sfnnv9.toml"]));
    let found: Vec<[&str; 4]> = boxes
        .iter()
        .map(|drawn| [&*drawn.name, &drawn.view, &drawn.facts, &drawn.formula])
        .collect();
    let set = "HalfKAv2_hm: 22528 rows of i16, at most 32 active, by pieces, 704 x 32 \
               king buckets, mirrored e-h";
    let expected = [
        ["features", "", "for each of 2 perspectives", set],
        [
            "accumulator",
            "side to move",
            "3072 i16, 1.0 is 127",
            "biases + active features' rows",
        ],
        [
            "accumulator",
            "opponent",
            "3072 i16, 1.0 is 127",
            "biases + active features' rows",
        ],
        [
            "psqt sums",
            "",
            "2 x 8 i32, 1.0 is 9600",
            "active features' PSQT rows",
        ],
        [
            "clipped",
            "side to move",
            "3072 u8 from 0 to 127, 1.0 is 127",
            "clamp(accumulator, 0, 127)",
        ],
        [
            "clipped",
            "opponent",
            "3072 u8 from 0 to 127, 1.0 is 127",
            "clamp(accumulator, 0, 127)",
        ],
        [
            "transformer",
            "",
            "3072 u8 from 0 to 126, 1.0 is 127",
            "clipped[j] * clipped[j + 1536] >> 7",
        ],
        [
            "fc_0",
            "",
            "3072 -> 16, x 8, i32 from -49545216 to 49158144, 1.0 is 8128",
            "affine(transformer), i8 with one 64, sparse",
        ],
        [
            "ac_sqr_0",
            "",
            "15 u8 from 0 to 127, 1.0 is 127",
            "min(x * x >> 19, 127), x = fc_0[..15]",
        ],
        [
            "ac_0",
            "",
            "15 u8 from 0 to 127, 1.0 is 127",
            "clamp(x >> 6, 0, 127), x = fc_0[..15]",
        ],
        [
            "fc_1",
            "",
            "30 -> 32, x 8, i32 from -487680 to 483870, 1.0 is 8128",
            "affine(ac_sqr_0 ++ ac_0), i8 with one 64",
        ],
        [
            "ac_1",
            "",
            "32 u8 from 0 to 127, 1.0 is 127",
            "clamp(x >> 6, 0, 127), x = fc_1",
        ],
        [
            "fc_2",
            "",
            "32 -> 1, x 8, i32 from -520192 to 516128, 1.0 is 9600",
            "affine(ac_1), i8 with one 9600 / 127",
        ],
        [
            "positional",
            "",
            "1 i32, 1.0 is 9600",
            "fc_2 + fc_0[15] * 150 / 127",
        ],
        [
            "psqt",
            "",
            "1 i32, 1.0 is 9600",
            "(own - opponent's psqt sum) / 2",
        ],
        [
            "value",
            "",
            "1 i32, 1.0 is 600",
            "psqt / 16 + positional / 16",
        ],
    ];
    assert_eq!(found, expected);
    let mut expected = [
        ("features", "accumulator"),
        ("features", "accumulator"),
        ("features", "psqt sums"),
        ("accumulator", "clipped"),
        ("accumulator", "clipped"),
        ("clipped", "transformer"),
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

/// Perspectives have their own arrows, too.
#[test]
fn perspectives_stand_side_by_side_and_psqt_beside_the_main_line() {
    let (boxes, arrows) = read(&output(&["draw", "../specs/sfnnv9.toml"]));
    let of = |name: &str| -> Vec<usize> {
        let own = boxes.iter().enumerate();
        let own = own.filter(|(_, drawn)| drawn.name == name);
        own.map(|(index, _)| index).collect()
    };
    let [accumulators, clipped] = ["accumulator", "clipped"].map(of);
    for pair in [&accumulators, &clipped] {
        let [first, second] = [&boxes[pair[0]], &boxes[pair[1]]];
        assert!(first.top == second.top && first.right < second.left);
    }
    for (from, to) in accumulators.iter().zip(&clipped) {
        assert!(arrows.contains(&(*from, *to)), "{arrows:?}");
    }
    let right = boxes[of("fc_0")[0]].right;
    for name in ["psqt sums", "psqt"] {
        assert!(boxes[of(name)[0]].left > right);
    }
    let tops = ["psqt sums", "accumulator"].map(|name| boxes[of(name)[0]].top);
    assert_eq!(tops[0], tops[1]);
}

/// Who says which features are active, and how many views there are besides.
#[test]
fn features_that_the_engine_tells_are_drawn_with_their_views() {
    for (spec, expected) in [
        (
            "ataxx",
            "Ataxx squares: 147 rows of i16, at most 49 active, told by the engine",
        ),
        (
            "shogi_sfnn",
            "HalfKA2 of shogi: 131949 rows of i16, at most 40 active, told by the engine, 81 views",
        ),
    ] {
        let (boxes, _) = read(&output(&["draw", &format!("../specs/games/{spec}.toml")]));
        assert_eq!(boxes[0].formula, expected);
    }
}

/// The player whose accumulator comes first stands first, and one perspective has one box.
#[test]
fn perspectives_are_those_of_the_spec() {
    let spec = include_str!("../../specs/bullet/simple.toml");
    let width = "width = 128\n";
    assert!(spec.contains(width));
    for (words, expected) in [
        ("order = \"stm-first\"", &["side to move", "opponent"][..]),
        ("order = \"white-first\"", &["white", "black"]),
        ("order = \"interleaved\"", &["side to move", "opponent"]),
        ("perspectives = 1", &[""]),
    ] {
        let spec = spec.replacen(width, &format!("{width}{words}\n"), 1);
        let path = scratch("draw_perspectives.toml", spec.as_bytes());
        let (boxes, _) = read(&output(&["draw", &path]));
        let accumulators = boxes.iter().filter(|drawn| drawn.name == "accumulator");
        let views: Vec<&str> = accumulators.map(|drawn| &*drawn.view).collect();
        assert_eq!(views, expected, "{words}");
    }
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

/// The pictures of README.md and specs/README.md: each is named like its spec.
#[test]
fn the_pictures_in_documents_are_what_the_command_draws() {
    let specs = [
        "sfnnv9",
        "bullet/simple",
        "bullet/input_buckets",
        "sfnnv5",
        "sfnnv17",
        "engines/reckless",
        "games/ataxx",
    ];
    for spec in specs {
        let (_, name) = spec.rsplit_once('/').unwrap_or(("", spec));
        let drawn_to = text(&scratch_path(&format!("{name}.svg")));
        let spec = format!("specs/{spec}.toml");
        let arguments = ["draw", &format!("../{spec}"), "--out", &drawn_to];
        assert_eq!(output(&arguments), "");
        let drawn = std::fs::read_to_string(drawn_to).expect("it was written");
        let picture = format!("docs/pictures/{name}.svg");
        let committed = std::fs::read_to_string(format!("../{picture}")).unwrap_or_default();
        assert!(drawn == committed, "run: nnue draw {spec} --out {picture}");
    }
    let pictures = std::fs::read_dir("../docs/pictures").expect("the folder is there");
    assert_eq!(pictures.count(), specs.len(), "a picture has no spec here");
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

/// Specs that nobody would write are drawn as clearly.
#[test]
fn nothing_overlaps_in_strange_networks() {
    let specs = specs_in("tests/zoo/specs");
    assert!(specs.len() > 50, "{specs:?}");
    for spec in specs {
        let (boxes, arrows) = read(&output(&["draw", &text(&spec)]));
        assert!(
            boxes.len() > 3 && arrows.len() >= boxes.len() - 1,
            "{spec:?}"
        );
    }
}
