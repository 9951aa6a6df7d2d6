//! The header that declares the functions of a network.
//!
//! It is written by hand and not by cbindgen, because it is the documentation that users read, has
//! functions of its own, and depends on a prefix; a test compares every declaration with the type
//! of the function in Rust.

/// The text of all headers, with names for the parts that differ.
const TEMPLATE: &str = include_str!("header/network.h");

/// The words that are no names in C++, its namespace `std`, and what its compilers and the headers
/// of C that all headers include make of some others.
const RESERVED: &str = "alignas alignof and and_eq asm auto bitand bitor bool break case catch char \
    char8_t char16_t char32_t class compl concept const consteval constexpr constinit const_cast \
    continue contract_assert co_await co_return co_yield decltype default delete do double \
    dynamic_cast else enum explicit export extern false float for friend goto if inline int long \
    mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public \
    register reinterpret_cast requires return short signed sizeof static static_assert static_cast \
    struct switch template this thread_local throw true try typedef typeid typename union unsigned \
    using virtual void volatile wchar_t while xor xor_eq restrict typeof std posix linux unix NULL \
    errno offsetof size_t ptrdiff_t nullptr_t max_align_t intptr_t uintptr_t intmax_t uintmax_t int8_t \
    int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t";

/// The differences between the headers of networks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header<'a> {
    /// The name of the network in its spec.
    pub network: &'a str,
    /// The beginning of all its names in C: an identifier.
    pub prefix: &'a str,
    /// Whether the library has weights.
    pub embedded: bool,
    /// Whether the number of pieces selects the bucket.
    pub by_pieces: bool,
    /// Whether the network sees the half-move clock.
    pub clock: bool,
    /// Whether the network evaluates to win, draw and loss.
    pub wdl: bool,
    /// Whether evaluations are from white's view, with either player to move.
    pub white_first: bool,
}

impl Header<'_> {
    /// Whether the prefix is a name that all headers have, as `nnue_move` is.
    #[must_use]
    pub fn is_taken(prefix: &str) -> bool {
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let mut words = TEMPLATE.split(|letter| !is_letter(letter));
        prefix.starts_with("nnue_") && words.any(|word| word == prefix)
    }

    /// Whether the prefix cannot be the name of a namespace of C++, as `class` and `std`.
    #[must_use]
    pub fn is_reserved(prefix: &str) -> bool {
        RESERVED.split_whitespace().any(|word| word == prefix)
    }

    /// Whether a text is a header of some network, by its first line.
    #[must_use]
    pub fn is_one(text: &[u8]) -> bool {
        let first = text.split(|byte| *byte == b'\n').next().unwrap_or(text);
        first.starts_with(b"/* ")
            && first.ends_with(b", which `nnue capi` has made with this file.")
    }

    /// The text of the header.
    #[must_use]
    pub fn text(&self) -> String {
        let has = |condition: &str| match condition {
            "embedded" => self.embedded,
            "by_pieces" => self.by_pieces,
            "clock" => self.clock,
            _ => true,
        };
        let mut text = String::new();
        let mut is_left_out = false;
        let mut is_conditional = false;
        for line in TEMPLATE.lines() {
            if let Some(condition @ ("embedded" | "by_pieces" | "clock")) =
                line.strip_prefix("#if ")
            {
                (is_conditional, is_left_out) = (true, !has(condition));
            } else if is_conditional && line == "#endif" {
                (is_conditional, is_left_out) = (false, false);
            } else if !is_left_out {
                text.push_str(line);
                text.push('\n');
            }
        }
        let comment = self.network.replace("*/", "* /").replace("/*", "/ *");
        let view = if self.white_first {
            "white's view"
        } else {
            "the view of the side to move"
        };
        let (clock, told) = if self.clock {
            (", uint32_t halfmove_clock", ", halfmove_clock")
        } else {
            ("", "")
        };
        let output = if self.wdl { "nnue_wdl" } else { "nnue_output" };
        text.replace("@VIEW@", view)
            .replace("@CLOCK@", clock)
            .replace("@TOLD@", told)
            .replace("@OUTPUT@", output)
            .replace("@P@", self.prefix)
            .replace("@NETWORK@", &comment)
    }
}
