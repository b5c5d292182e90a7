//! Speaks with the referee, so that your files need not.

use super::json::{quoted, Json};
use super::messages::Start;
use super::reading::Read;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, Write};
use std::os::unix::io::FromRawFd;

extern "C" {
    fn dup(descriptor: i32) -> i32;
    fn dup2(from: i32, to: i32) -> i32;
}

/// What there is to know besides the observation.
pub struct Game {
    /// Seats, options, card data and clock of this game.
    pub start: Start,
    /// For all choices by chance: the same again when the game is played again.
    pub random: Random,
    /// Seconds that this answer may take; None: no limit.
    pub time_left: Option<f64>,
    /// The question as it came.
    pub act: Json,
    /// What to keep with this answer; empty again at each question.
    pub info: Info,
}

/// What is kept with an answer and shown beside it. What is not set is left out.
#[derive(Default)]
pub struct Info {
    /// How good it looks for you; more is better.
    pub eval: Option<f64>,
    pub text: String,
    /// By index of a legal action a share from 0 to 1.
    pub p: BTreeMap<usize, f64>,
    pub nodes: u64,
}

impl Info {
    /// What is set and can be written, as a part of the answer.
    fn json(&self) -> String {
        let mut made = Vec::new();
        if let Some(eval) = self.eval.filter(|eval| eval.is_finite()) {
            made.push(format!("\"eval\":{eval}"));
        }
        if !self.text.is_empty() {
            made.push(format!("\"text\":{}", quoted(&self.text)));
        }
        let shares = self.p.iter().filter(|(_, share)| share.is_finite());
        let shares: Vec<_> = shares.map(|(index, share)| format!("\"{index}\":{share}")).collect();
        if !shares.is_empty() {
            made.push(format!("\"p\":{{{}}}", shares.join(",")));
        }
        if self.nodes != 0 {
            made.push(format!("\"nodes\":{}", self.nodes));
        }
        if made.is_empty() { String::new() } else { format!(",\"info\":{{{}}}", made.join(",")) }
    }
}

impl Game {
    /// An option of the bot, of the type of `other`, which stands where none is set.
    pub fn option<T: Read>(&self, name: &str, other: T) -> T {
        Option::<T>::read(self.start.bot_options.get(name)).unwrap_or(other)
    }
}

/// SplitMix64, a small generator in the public domain.
pub struct Random(u64);

impl Random {
    /// Any number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is at least 1.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.number() % bound as u64) as usize
    }
}

/// The index of the action that is worth most; of equal ones the first.
pub fn best<A, W: PartialOrd>(legal: &[A], worth: impl Fn(&A) -> W) -> usize {
    let mut found = 0;
    let mut most = worth(&legal[0]);
    for (index, action) in legal.iter().enumerate() {
        let value = worth(action);
        if value > most {
            most = value;
            found = index;
        }
    }
    found
}

/// Answers an act by the index of an action.
pub type Player = fn(&mut Game) -> usize;

/// What the choice of a game says to the question.
pub fn ask<O: Read, A: Read>(choose: fn(&O, &[A], &mut Game) -> usize, game: &mut Game) -> usize {
    let observation = O::read(game.act.get("observation"));
    let legal = Vec::<A>::read(game.act.get("legal"));
    choose(&observation, &legal, game)
}

/// Plays games until there are no more. `players`: by the names of the games.
pub fn play(name: &str, players: &[(&str, Player)]) -> io::Result<()> {
    let mut wire = unsafe {
        let wire = File::from_raw_fd(dup(1));
        dup2(2, 1); // what is printed, here or by a child process, goes to standard error
        wire
    };
    let mut game = None;
    for line in io::stdin().lock().lines() {
        let message = Json::parse(&line?).unwrap_or(Json::Null);
        match message.get("type").text() {
            "hello" => {
                let ready = r#"{"type":"ready","protocol":1,"wants":["observation","legal"],"name":"#;
                wire.write_all(format!("{ready}\"{name}\"}}\n").as_bytes())?;
            }
            "start" => {
                let start = Start::read(&message);
                let random = Random(start.seed as u64);
                let info = Info::default();
                game = Some(Game { start, random, time_left: None, act: Json::Null, info });
            }
            "act" => {
                let game = game.as_mut().expect("a game has begun");
                game.time_left = Read::read(message.get("time_left"));
                game.act = message;
                game.info = Info::default();
                let player = players.iter().find(|(rules, _)| *rules == game.start.rules);
                let index = player.expect("a game that it plays").1(game);
                let id = game.act.get("id").text();
                let info = game.info.json();
                let action = format!("{{\"type\":\"action\",\"id\":\"{id}\",\"action\":{index}{info}}}\n");
                wire.write_all(action.as_bytes())?;
            }
            "bye" => break,
            _ => {}
        }
    }
    Ok(())
}
