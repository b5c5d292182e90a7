//! Turns JSON into types: plain ones here, those of a game in its file. What is absent is empty.

use super::json::Json;
use std::collections::BTreeMap;

pub trait Read {
    fn read(json: &Json) -> Self;
}

impl Read for Json {
    fn read(json: &Json) -> Self {
        json.clone()
    }
}

impl Read for bool {
    fn read(json: &Json) -> Self {
        *json == Json::Bool(true)
    }
}

impl Read for f64 {
    fn read(json: &Json) -> Self {
        if let Json::Number(number) = json { *number } else { 0.0 }
    }
}

impl Read for i64 {
    fn read(json: &Json) -> Self {
        f64::read(json) as i64
    }
}

impl Read for String {
    fn read(json: &Json) -> Self {
        json.text().to_string()
    }
}

impl<T: Read> Read for Option<T> {
    fn read(json: &Json) -> Self {
        if *json == Json::Null { None } else { Some(T::read(json)) }
    }
}

impl<T: Read> Read for Vec<T> {
    fn read(json: &Json) -> Self {
        if let Json::List(entries) = json { entries.iter().map(T::read).collect() } else { Vec::new() }
    }
}

impl<T: Read> Read for BTreeMap<String, T> {
    fn read(json: &Json) -> Self {
        match json {
            Json::Object(entries) => entries.iter().map(|(key, each)| (key.clone(), T::read(each))).collect(),
            _ => BTreeMap::new(),
        }
    }
}
