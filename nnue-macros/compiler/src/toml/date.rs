//! Confirms that a date or a time is spelt right.

/// Confirms that `text` is a date, a time, or both, with or without an offset from UTC. Otherwise
/// says what is wrong.
pub(super) fn check(text: &str) -> Result<(), String> {
    let mut reader = Reader {
        rest: text,
        what: "datetime",
    };
    let year = reader.digits("year or hour")?;
    match reader.rest.chars().next() {
        Some('-') => date(year, &mut reader)?,
        Some(':') => {
            reader.rest = text;
            time(&mut reader)?;
        }
        _ => return reader.fail("`-` (YYYY-MM) or `:` (HH:MM)"),
    }
    match reader.rest {
        "" => Ok(()),
        _ => Err("invalid datetime".to_string()),
    }
}

/// A text that is read from left to right.
struct Reader<'t> {
    rest: &'t str,
    /// What is being read, for messages.
    what: &'static str,
}

impl<'t> Reader<'t> {
    fn fail<T>(&self, expected: &str) -> Result<T, String> {
        Err(format!("invalid {}, expected {expected}", self.what))
    }

    fn digits(&mut self, expected: &str) -> Result<&'t str, String> {
        let rest = self.rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let (digits, rest) = self.rest.split_at(self.rest.len() - rest.len());
        self.rest = rest;
        match digits {
            "" => self.fail(expected),
            _ => Ok(digits),
        }
    }

    /// Reads one of these characters, if it is next.
    fn takes(&mut self, allowed: &[char]) -> bool {
        let rest = self.rest.strip_prefix(allowed);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn require(&self, is_right: bool, expected: &str) -> Result<(), String> {
        if is_right {
            Ok(())
        } else {
            self.fail(expected)
        }
    }

    /// Confirms that a number of two digits lies between two others.
    fn within(&self, name: &str, number: &str, from: &str, to: &str) -> Result<(), String> {
        let is_right = (from..=to).contains(&number);
        self.require(is_right, &format!("{name} between {from} and {to}"))
    }
}

/// Reads what follows the year of a date.
fn date(year: &str, reader: &mut Reader<'_>) -> Result<(), String> {
    reader.takes(&['-']);
    reader.what = "date";
    let month = reader.digits("month")?;
    let is_separated = reader.takes(&['-']);
    reader.require(is_separated, "`-` (MM-DD)")?;
    let day = reader.digits("day")?;
    reader.require(year.len() == 4, "a four-digit year (YYYY)")?;
    reader.require(month.len() == 2, "a two-digit month (MM)")?;
    reader.require(day.len() == 2, "a two-digit day (DD)")?;
    reader.within("month", month, "01", "12")?;
    let is_leap_year = year.parse().is_ok_and(|year: u16| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    });
    let last_day = match month {
        "02" if is_leap_year => "29",
        "02" => "28",
        "04" | "06" | "09" | "11" => "30",
        _ => "31",
    };
    reader.within("day", day, "01", last_day)?;
    if reader.rest.is_empty() {
        return Ok(());
    }
    reader.what = "date-time";
    let is_separated = reader.takes(&['T', 't', ' ']);
    reader.require(is_separated, "`T` between date and time")?;
    time(reader)?;
    offset(reader)
}

fn time(reader: &mut Reader<'_>) -> Result<(), String> {
    reader.what = "time";
    let hour = reader.digits("hour")?;
    let is_separated = reader.takes(&[':']);
    reader.require(is_separated, "`:` (HH:MM)")?;
    let minute = reader.digits("minute")?;
    let mut second = "00";
    if reader.takes(&[':']) {
        second = reader.digits("second")?;
        if reader.takes(&['.']) {
            reader.digits("nanosecond")?;
        }
    }
    reader.require(hour.len() == 2, "a two-digit hour (HH)")?;
    reader.require(minute.len() == 2, "a two-digit minute (MM)")?;
    reader.require(second.len() == 2, "a two-digit second (SS)")?;
    reader.within("hour", hour, "00", "23")?;
    reader.within("minute", minute, "00", "59")?;
    // There are leap seconds.
    reader.within("second", second, "00", "60")
}

/// Reads the offset from UTC, if there is one.
fn offset(reader: &mut Reader<'_>) -> Result<(), String> {
    if reader.rest.is_empty() || reader.takes(&['Z', 'z']) {
        return Ok(());
    }
    reader.what = "offset";
    let is_signed = reader.takes(&['+', '-']);
    reader.require(is_signed, "`Z`, +OFFSET, -OFFSET")?;
    let hours = reader.digits("hour")?;
    let is_separated = reader.takes(&[':']);
    reader.require(is_separated, "`:` (HH:MM)")?;
    let minutes = reader.digits("minute")?;
    reader.require(hours.len() == 2, "a two-digit hour (HH)")?;
    reader.require(minutes.len() == 2, "a two-digit minute (MM)")?;
    reader.within("hours", hours, "00", "23")?;
    reader.within("minutes", minutes, "00", "59")
}
