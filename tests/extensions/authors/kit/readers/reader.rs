//! Says of each line what the kit reads in it: see tests/extensions/authors/kit/test_json.py.
#![allow(dead_code)]

#[path = "kit/json.rs"]
mod json;

use json::Json;
use std::io::BufRead;

fn text(text: &str) -> String {
    text.bytes().fold("\"".to_string(), |made, byte| made + &format!("{:02x}", byte))
}

fn shown(json: &Json) -> String {
    match json {
        Json::Null => "n".to_string(),
        Json::Bool(true) => "t".to_string(),
        Json::Bool(false) => "f".to_string(),
        Json::Number(number) => format!("#{:016x}", number.to_bits()),
        Json::Text(found) => text(found),
        Json::List(entries) => {
            let made: String = entries.iter().map(|each| shown(each) + ",").collect();
            format!("[{}]", made)
        }
        Json::Object(entries) => {
            let made: String =
                entries.iter().map(|(key, each)| text(key) + ":" + &shown(each) + ",").collect();
            format!("{{{}}}", made)
        }
    }
}

fn main() {
    for line in std::io::stdin().lock().lines() {
        match Json::parse(&line.unwrap()) {
            Some(json) => println!("{}", shown(&json)),
            None => println!("bad"),
        }
    }
}
