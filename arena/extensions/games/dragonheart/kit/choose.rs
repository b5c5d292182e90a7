//! How the bot plays Dragonheart. `arena rules dragonheart` explains the game.

use crate::kit::dragonheart::{Action, Board, Card, Observation};
use crate::kit::play::{best, Game};

/// By the kind of a card how many make a full row, and which spaces it then collects.
const KINDS: [(&str, usize, &[&str]); 7] = [
    ("dwarf", 4, &["dwarf"]),
    ("fire_dragon", 1, &["treasure"]),
    ("huntress", 3, &["fire_dragon"]),
    ("knight", 2, &["sorceress", "troll"]),
    ("ship", 3, &["quay"]),
    ("sorceress", 1, &["treasure", "petrified"]),
    ("troll", 1, &["sorceress"]),
];

/// The index of the action to play.
pub fn choose(observation: &Observation, legal: &[Action], _game: &mut Game) -> usize {
    // 1. Three points go with the dragon figure: see observation.figure, and the petrified.
    // 2. Look at what a play leaves for the other seat, and count that against it.
    // 3. What both seats have played is in observation.played: which cards may still come?
    best(legal, |action| match action {
        Action::Play { cards } => worth(&observation.board, cards),
        Action::Take { space } => points(observation.board.at(space)),
        Action::Unknown => 0,
    })
}

/// How good a play is: what collects most now, and if nothing does, the cheapest.
fn worth(board: &Board, cards: &[Card]) -> i64 {
    let laid = board.at(&cards[0].kind).len() + cards.len();
    let full = KINDS.iter().find(|(kind, row, _)| *kind == cards[0].kind && laid >= *row);
    let gain = full.and_then(|(_, _, spaces)| spaces.iter().map(|to| points(board.at(to))).max());
    100 * gain.unwrap_or(0) - 10 * cards.len() as i64 - points(cards)
}

fn points(cards: &[Card]) -> i64 {
    cards.iter().map(|card| card.value).sum()
}
