//! How the bot plays Dragonrealm. `arena rules dragonrealm` explains the game.

use crate::kit::dragonrealm::{Action, Card, Observation};
use crate::kit::play::{best, Game};

/// The index of the action to play: explores where the dice should do. To rest is worth 0.
pub fn choose(observation: &Observation, legal: &[Action], _game: &mut Game) -> usize {
    // 1. To sneak takes cards of consecutive values: dice() does not find them yet.
    // 2. A location pays when it is full: see its adventurers, spaces and reward.
    // 3. Enhancements are worth nothing here: say below which to keep and when to use them.
    best(legal, |action| match action {
        Action::Explore { location, way } => {
            let place = observation.row.iter().find(|place| place.id == *location);
            let needed = place.map_or(99, |place| match way.as_str() {
                "sneak" => place.sneak,
                "search" => place.search,
                _ => place.storm,
            });
            5 * dice(&observation.hand, way) - 2 * needed - 2 // a die shows two and a half
        }
        Action::Play { cards } => cards.len() as i64,
        _ => 0,
    })
}

/// How many cards of the hand can be played together in this way: one die for each.
fn dice(hand: &[Card], way: &str) -> i64 {
    let is_alike = |one: &Card, other: &Card| match way {
        "storm" => one.suit == other.suit,
        "search" => one.value == other.value,
        _ => one == other,
    };
    let counts = hand.iter().map(|one| hand.iter().filter(|other| is_alike(one, other)).count());
    counts.max().unwrap_or(1) as i64
}
