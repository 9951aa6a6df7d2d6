//! Tensors by name: every number is that of the file, whatever the format and the level.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::format::{self, Element, Encoding, Format, Section, TensorView};
use nnue_compiler::network::Network;
use nnue_compiler::{analyse, file_layout};
use nnue_further_tests::formats;
use nnue_runtime::{Architecture, Level};
use nnue_test_support::net_file::{LEB128_MAGIC, net_file_of, random_net_file};
use nnue_test_support::specs::specs_in;

/// The numbers of a tensor: bucket, row and column of each, and the number.
type Numbers = Vec<([usize; 3], f64)>;

/// All numbers of a file, read from its bytes, by the names of their tensors.
fn numbers(network: &Network, file: &[u8]) -> BTreeMap<String, Numbers> {
    // Which number of its section each value is, section by section.
    let mut places = Vec::new();
    let mut name: Rc<str> = "".into();
    net_file_of(network, "", |weight| {
        if *name != *weight.tensor {
            name = weight.tensor.into();
        }
        let place = [weight.stack, weight.row, weight.column];
        places.push((Rc::clone(&name), place, weight.index));
        0.0
    });
    let mut places = places.into_iter().peekable();
    let mut offset = match network.file.format {
        Format::Stockfish { .. } => {
            12 + u32::from_le_bytes(file[8..12].try_into().unwrap()) as usize
        }
        Format::Sequence | Format::Named => 0,
    };
    let mut numbers: BTreeMap<String, Numbers> = BTreeMap::new();
    for (stack, section) in network.file.all_sections(network.stacks.count) {
        let tensor = match section {
            Section::Tensor(tensor) => tensor,
            Section::Kept {
                name,
                element,
                shape: [rows, columns],
            } => {
                let own = numbers.entry(name.to_string()).or_default();
                for index in 0..rows * columns {
                    let place = [0, index / columns, index % columns];
                    own.push((place, raw(*element, file, &mut offset)));
                }
                continue;
            }
            section => {
                offset = section.end(offset).unwrap();
                continue;
            }
        };
        let stored = &tensor.stored;
        if network.file.format == Format::Named {
            offset += tensor.id.len() + 1 + 8;
        }
        if stored.encoding == Encoding::Leb128 {
            offset += LEB128_MAGIC.len() + 4;
        }
        let values: Vec<f64> = (0..stored.values)
            .map(|_| match stored.encoding {
                Encoding::Raw => raw(stored.element, file, &mut offset),
                _ => leb128(stored.element, file, &mut offset),
            })
            .collect();
        let is_here = |place: &(Rc<str>, [usize; 3], usize)| {
            *place.0 == *tensor.name && stack.is_none_or(|stack| place.1[0] == stack)
        };
        let own = numbers.entry(tensor.name.to_string()).or_default();
        while let Some((_, place, index)) = places.next_if(is_here) {
            own.push((place, values[index]));
        }
    }
    assert_eq!(places.next(), None);
    numbers
}

fn raw(element: Element, file: &[u8], offset: &mut usize) -> f64 {
    let bytes = &file[*offset..][..element.size()];
    *offset += bytes.len();
    match (element, bytes) {
        (Element::I8, [a]) => f64::from(*a as i8),
        (Element::I16, [a, b]) => f64::from(i16::from_le_bytes([*a, *b])),
        (Element::I32, bytes) => f64::from(i32::from_le_bytes(bytes.try_into().unwrap())),
        (Element::F32, bytes) => f64::from(f32::from_le_bytes(bytes.try_into().unwrap())),
        _ => panic!("no file has {element}"),
    }
}

fn leb128(element: Element, file: &[u8], offset: &mut usize) -> f64 {
    let (mut bits, mut shift) = (0u64, 0);
    loop {
        let byte = file[*offset];
        *offset += 1;
        bits |= u64::from(byte & 0x7F) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            break;
        }
    }
    match element {
        Element::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => (((bits << (64 - shift)) as i64) >> (64 - shift)) as f64,
    }
}

/// Asserts that tensors have these numbers, and no others.
fn check<'a>(
    place: &str,
    views: impl Iterator<Item = TensorView<'a>>,
    network: &Network,
    numbers: &BTreeMap<String, Numbers>,
) {
    let mut names = BTreeSet::new();
    for view in views {
        assert!(
            names.insert(view.name().to_owned()),
            "{place}: twice {view:?}"
        );
        let own = &numbers[view.name()];
        let [buckets, rows, columns] = view.shape();
        let values: Vec<f64> = view.values().collect();
        assert_eq!(values.len(), buckets * rows * columns);
        // Stacks that share a tensor have the same numbers.
        assert!(
            !own.is_empty() && values.len().is_multiple_of(own.len()),
            "{place}: {view:?}"
        );
        for (index, &([bucket, row, column], number)) in own.iter().enumerate() {
            let found = values[(bucket * rows + row) * columns + column];
            let at = || format!("{place}: {view:?} at {bucket}, {row}, {column}");
            assert_eq!(found, number, "{}", at());
            if index % 61 == 0 {
                assert_eq!(view.get([bucket, row, column]), Some(number), "{}", at());
            }
        }
        for beyond in [
            [buckets, 0, 0],
            [0, rows, 0],
            [0, 0, columns],
            [usize::MAX; 3],
        ] {
            assert_eq!(view.get(beyond), None, "{place}: {view:?}");
        }
        let sections = network.file.all_sections(network.stacks.count);
        let mut tensors = sections.filter_map(|(_, section)| match section {
            Section::Tensor(tensor) if tensor.name == view.name() => Some(tensor.stored.element),
            Section::Kept { name, element, .. } if name == view.name() => Some(*element),
            _ => None,
        });
        let element = tensors.next();
        assert_eq!(element, Some(view.element()));
    }
    assert!(names.iter().eq(numbers.keys()), "{place}: {names:?}");
}

#[test]
fn every_number_is_that_of_the_file_on_every_level() {
    fn of_format<A: Architecture>(text: &str) {
        let network = analyse(&SourceFile::new(A::NAME, text)).unwrap();
        let file = random_net_file(&network, 3);
        let mut net = nnue_runtime::Network::<A>::from_bytes(&file).unwrap();
        let numbers = numbers(&network, &net.to_bytes());
        for level in Level::available() {
            net = net.with_level(level);
            check(
                &format!("{} at {level}", A::NAME),
                net.tensors(),
                &network,
                &numbers,
            );
            for (name, own) in &numbers {
                let (place, number) = own[own.len() - 1];
                let tensor = net.tensor(name).unwrap();
                assert_eq!((tensor.name(), tensor.get(place)), (&**name, Some(number)));
            }
            assert!(net.tensor("transformer").is_none());
        }
    }
    macro_rules! check {
        ($($net:ident)*) => { $(
            let spec = include_str!(concat!("../../specs/formats/", stringify!($net), ".toml"));
            of_format::<formats::$net::Net>(spec);
        )* };
    }
    check! { stockfish leb128 quantised listed raw weights tensors grouped stacks grouped_stacks
    clamped bare header kept times }
}

/// Tensors of every type, encoding and order in memory: paired bytes, runs of outputs, signs, and
/// sums with virtual rows and with tensors that stacks share.
#[test]
fn every_number_of_all_specs_is_that_of_the_file() {
    /// Larger networks have nothing that smaller networks do not have.
    const MOST_BYTES: usize = 2 << 20;
    let folders = ["features", "formats", "layers", "perspectives"];
    let paths = folders
        .iter()
        .flat_map(|folder| specs_in(&format!("tests/specs/{folder}")));
    let (mut checked, mut paired, mut summed) = (0, 0, 0);
    for path in paths {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path).unwrap();
        let Ok(network) = analyse(&SourceFile::new(&name, text)) else {
            panic!("{name} has errors");
        };
        let layout = file_layout(&network);
        if layout.memory_len() > MOST_BYTES {
            continue;
        }
        let file = random_net_file(&network, 4);
        let mut known = None;
        for packed in [&[0][..], &[0, 2, 4, 6, 1, 3, 5, 7]] {
            let mut weights = vec![0; layout.memory_len()];
            let parts = format::split(&layout, &file).unwrap();
            let loaded = parts.load(packed, &mut weights).unwrap();
            let mut written = Vec::new();
            let stored = format::store(&layout, packed, &weights, &loaded, &mut |bytes| {
                written.extend_from_slice(bytes);
                Ok::<(), ()>(())
            });
            assert_eq!(stored, Ok(()));
            let numbers = known.get_or_insert_with(|| numbers(&network, &written));
            let views = format::tensors(&layout, packed, &weights, &loaded);
            check(&name, views, &network, numbers);
        }
        checked += 1;
        paired += layout.paired.len();
        summed += layout.coalesced.len();
    }
    assert!(
        checked > 50 && paired > 1 && summed > 10,
        "{checked} networks, {paired} tables of pairs, {summed} sums"
    );
}
