//! Reads JSON: a value, and a function that makes one of a text. Nothing of it is needed to play.

use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

impl Json {
    /// The value that is the whole text; None if it is not JSON.
    pub fn parse(text: &str) -> Option<Json> {
        let mut reader = Reader { text: text.as_bytes(), at: 0 };
        let value = reader.value(0)?;
        reader.skip();
        if reader.at == text.len() { Some(value) } else { None }
    }

    /// The value of a key; Null if there is none, or this is no object.
    pub fn get(&self, key: &str) -> &Json {
        match self {
            Json::Object(entries) => entries.get(key).unwrap_or(&Json::Null),
            _ => &Json::Null,
        }
    }

    /// The text; empty if it is none.
    pub fn text(&self) -> &str {
        match self {
            Json::Text(text) => text,
            _ => "",
        }
    }
}

/// A text as JSON.
pub fn quoted(text: &str) -> String {
    let mut made = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => made.extend(['\\', character]),
            '\0'..='\x1f' => made.push_str(&format!("\\u{:04x}", character as u32)),
            _ => made.push(character),
        }
    }
    made + "\""
}

const DEEPEST: usize = 200;

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    fn skip(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\r' | b'\n') {
            self.at += 1;
        }
    }

    fn next(&mut self, expected: u8) -> bool {
        self.skip();
        let is_next = self.peek() == expected;
        self.at += is_next as usize;
        is_next
    }

    fn word(&mut self, word: &str, value: Json) -> Option<Json> {
        let is_there = self.text[self.at..].starts_with(word.as_bytes());
        self.at += word.len();
        if is_there { Some(value) } else { None }
    }

    fn value(&mut self, depth: usize) -> Option<Json> {
        self.skip();
        if depth > DEEPEST {
            return None;
        }
        match self.peek() {
            b'{' => self.object(depth),
            b'[' => self.list(depth),
            b'"' => self.string().map(Json::Text),
            b't' => self.word("true", Json::Bool(true)),
            b'f' => self.word("false", Json::Bool(false)),
            b'n' => self.word("null", Json::Null),
            _ => self.number(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Json> {
        let mut found = BTreeMap::new();
        self.at += 1;
        if self.next(b'}') {
            return Some(Json::Object(found));
        }
        loop {
            self.skip();
            let key = self.string()?;
            if !self.next(b':') {
                return None;
            }
            found.insert(key, self.value(depth + 1)?);
            if !self.next(b',') {
                break;
            }
        }
        if self.next(b'}') { Some(Json::Object(found)) } else { None }
    }

    fn list(&mut self, depth: usize) -> Option<Json> {
        let mut found = Vec::new();
        self.at += 1;
        if self.next(b']') {
            return Some(Json::List(found));
        }
        loop {
            found.push(self.value(depth + 1)?);
            if !self.next(b',') {
                break;
            }
        }
        if self.next(b']') { Some(Json::List(found)) } else { None }
    }

    fn digits(&mut self) -> Option<()> {
        let first = self.at;
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
        if self.at > first { Some(()) } else { None }
    }

    fn number(&mut self) -> Option<Json> {
        let first = self.at;
        self.at += (self.peek() == b'-') as usize;
        if self.peek() == b'0' {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == b'.' {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), b'e' | b'E') {
            self.at += 1;
            self.at += matches!(self.peek(), b'+' | b'-') as usize;
            self.digits()?;
        }
        let text = std::str::from_utf8(&self.text[first..self.at]).ok()?;
        text.parse().ok().map(Json::Number)
    }

    fn string(&mut self) -> Option<String> {
        let mut found = Vec::new();
        if self.peek() != b'"' {
            return None;
        }
        self.at += 1;
        loop {
            let byte = self.peek();
            self.at += 1;
            match byte {
                b'"' => return String::from_utf8(found).ok(),
                b'\\' => {
                    let character = self.escape()?;
                    found.extend(character.to_string().bytes());
                }
                0..=0x1f => return None,
                _ => found.push(byte),
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        let name = self.peek();
        self.at += 1;
        Some(match name {
            b'"' | b'\\' | b'/' => name as char,
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode(),
            _ => return None,
        })
    }

    fn hex(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4)?;
        self.at += 4;
        digits.iter().try_fold(0, |code, digit| Some(code * 16 + (*digit as char).to_digit(16)?))
    }

    fn unicode(&mut self) -> Option<char> {
        let code = self.hex()?;
        if !(0xd800..0xdc00).contains(&code) {
            return char::from_u32(code);
        }
        if !self.text[self.at..].starts_with(b"\\u") {
            return None;
        }
        self.at += 2;
        let low = self.hex()?.checked_sub(0xdc00)?;
        if low < 0x400 { char::from_u32(0x10000 + ((code - 0xd800) << 10) + low) } else { None }
    }
}
