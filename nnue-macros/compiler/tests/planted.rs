//! What the mistakes of `tests/wiring/plant.py` change is in the code.

use toml::de::DeTable;

use crate::golden;

#[test]
fn planted_mistakes_change_code_that_is_there() {
    let read = |path: &str| {
        let path = golden::path(&format!("../../{path}"));
        std::fs::read_to_string(path).expect("the file is there")
    };
    let text = read("tests/wiring/mistakes.toml");
    let list = DeTable::parse(&text).expect("TOML");
    let mistakes = list.get_ref()["mistake"].get_ref();
    let mistakes = mistakes.as_array().expect("a list");
    let gone = mistakes.iter().filter_map(|mistake| {
        let text = |key| mistake.get_ref().get(key)?.get_ref().as_str();
        let marked = text("expression").or_else(|| text("tokens"))?;
        let code = marked.replace(['«', '»'], "");
        let code = code.split('@').next()?;
        let is_there = read(text("file")?).contains(code);
        (!is_there).then_some(code.to_owned())
    });
    let gone: Vec<String> = gone.collect();
    assert!(gone.is_empty() && mistakes.len() > 60, "{gone:#?}");
}
