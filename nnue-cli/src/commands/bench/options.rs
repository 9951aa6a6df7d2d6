//! The numbers among the options of `nnue bench`.

/// Reads the argument of `--density`.
pub(super) fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("expected a number from 0 to 1".into()),
    }
}

/// Reads the argument of `--engine`: a number of bytes, perhaps with the unit `K`, `M` or `G`, from
/// 1 KB to 64 GB.
pub(super) fn table_size(text: &str) -> Result<usize, String> {
    let (digits, shift) = match text.as_bytes().last() {
        Some(b'K') => (&text[..text.len() - 1], 10),
        Some(b'M') => (&text[..text.len() - 1], 20),
        Some(b'G') => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    let bytes = digits.parse::<u64>().ok();
    let bytes = bytes.and_then(|number| number.checked_mul(1 << shift));
    match bytes {
        Some(bytes @ 0x400..=0x10_0000_0000) => usize::try_from(bytes).ok(),
        _ => None,
    }
    .ok_or_else(|| "expected a size from 1K to 64G, such as 256M".into())
}

/// A number of bytes in the form of `--engine`: in the largest unit that divides it.
pub(super) fn size(bytes: usize) -> String {
    let units = [(30, "GB"), (20, "MB"), (10, "KB")];
    let unit = units
        .iter()
        .find(|(shift, _)| bytes.trailing_zeros() >= *shift);
    match unit {
        Some((shift, unit)) => format!("{} {unit}", bytes >> shift),
        None => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        for (text, bytes, shown) in [
            ("1024", 1 << 10, "1 KB"),
            ("100000", 100_000, "100000 B"),
            ("256K", 256 << 10, "256 KB"),
            ("3M", 3 << 20, "3 MB"),
            ("64G", 64 << 30, "64 GB"),
        ] {
            assert_eq!(table_size(text), Ok(bytes));
            assert_eq!(size(bytes), shown);
        }
        assert_eq!(table_size("16M"), Ok(nnue_trace::Engine::TABLE));
        for text in [
            "",
            "0",
            "K",
            "-1",
            "1023",
            "1k",
            "1KB",
            "65G",
            "18446744073709551615G",
            "99999999999999999999",
        ] {
            assert!(table_size(text).is_err(), "{text}");
        }
    }
}
