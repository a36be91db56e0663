//! Comma-separated values as RFC 4180 has them, lines ended by a line feed.

/// A line of `fields`, quoted where they must be.
pub fn line<T: AsRef<str>>(fields: impl IntoIterator<Item = T>) -> Vec<u8> {
    let mut line = Vec::new();
    for (index, field) in fields.into_iter().enumerate() {
        let field = field.as_ref();
        if index > 0 {
            line.push(b',');
        }
        let is_special = |&byte: &u8| matches!(byte, b',' | b'"' | b'\n' | b'\r');
        if field.as_bytes().iter().any(is_special) {
            line.push(b'"');
            line.extend(field.replace('"', "\"\"").as_bytes());
            line.push(b'"');
        } else {
            line.extend(field.as_bytes());
        }
    }
    line.push(b'\n');
    line
}

/// The lines of `text`, which [`line`] wrote, each with what ends it.
pub fn lines(mut text: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let mut is_quoted = false;
        let is_end = |&byte: &u8| {
            is_quoted ^= byte == b'"';
            byte == b'\n' && !is_quoted
        };
        let end = text.iter().position(is_end)?;
        text.split_off(..=end)
    })
}

/// The records of `text`, each with the number of the line that it begins on; blank lines are none.
pub fn records(text: &str) -> impl Iterator<Item = (usize, Vec<String>)> {
    let mut rest = text;
    let mut line = 1;
    std::iter::from_fn(move || {
        let blank = rest.len() - rest.trim_start_matches(['\n', '\r']).len();
        line += rest[..blank].matches('\n').count();
        rest = &rest[blank..];
        if rest.is_empty() {
            return None;
        }
        let (record, bytes) = record(rest);
        let begins = line;
        line += rest[..bytes].matches('\n').count();
        rest = &rest[bytes..];
        Some((begins, record))
    })
}

/// The first record of `text`, and its bytes, the end of its line included.
fn record(text: &str) -> (Vec<String>, usize) {
    let (mut fields, mut field) = (Vec::new(), String::new());
    let (mut is_quoted, mut was_quoted) = (false, false);
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' if is_quoted && characters.next_if(|&(_, next)| next == '"').is_some() => {
                field.push('"');
            }
            '"' if is_quoted => is_quoted = false,
            '"' if field.is_empty() && !was_quoted => (is_quoted, was_quoted) = (true, true),
            ',' if !is_quoted => {
                fields.push(std::mem::take(&mut field));
                was_quoted = false;
            }
            '\n' if !is_quoted => {
                fields.push(field);
                return (fields, at + 1);
            }
            '\r' if !is_quoted => {}
            other => field.push(other),
        }
    }
    fields.push(field);
    (fields, text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        let rows = [
            vec!["plain", "", "a, b"],
            vec!["say \"so\"", "two\nlines", "\r"],
            vec!["0.1"],
        ];
        let text: Vec<u8> = rows.iter().flat_map(line).collect();
        assert!(lines(&text).eq(rows.iter().map(line)));
        assert!(lines(b"\n").eq([b"\n"]));
        let text = String::from_utf8(text).unwrap();
        assert!(text.starts_with("plain,,\"a, b\"\n\"say \"\"so\"\"\",\"two\nlines\""));
        let read: Vec<_> = records(&text).collect();
        assert_eq!(
            read.iter().map(|(line, _)| *line).collect::<Vec<_>>(),
            [1, 2, 4]
        );
        assert!(read.iter().zip(&rows).all(|((_, read), row)| read == row));
    }

    #[test]
    fn other_ends_of_lines_and_blank_ones_are_taken() {
        let read: Vec<_> = records("a,b\r\n\r\n1,2").collect();
        let record = |a: &str, b: &str| vec![a.to_owned(), b.to_owned()];
        assert_eq!(read, [(1, record("a", "b")), (3, record("1", "2"))]);
        assert_eq!(records("").count(), 0);
    }
}
