//! How the bot plays Dragonkrak. `arena rules dragonkrak` explains the game.

use crate::kit::dragonkrak::{Action, Board, Observation};
use crate::kit::play::{best, Game};

/// The index of the action to play: a card that skips few values, else the end of the turn.
pub fn choose(observation: &Observation, legal: &[Action], _game: &mut Game) -> usize {
    // 1. A card that leads on to others of the hand is worth more than it skips; a hero is rare.
    // 2. Tokens are worth nothing here: say below when one helps you or stops the others.
    // 3. Alone (game.start.seats is 1) nobody hurries you: do not skip many values.
    let board = &observation.board;
    best(legal, |action| match action {
        Action::Place { card, space, value } => {
            let value = value.unwrap_or(card.value); // a hero takes one
            100 - (value - top(board, space)).abs()
        }
        // to where the others have most room to place cards
        Action::Fly { army } => (13 - bottom(army) - top(board, army)).abs(),
        Action::End => 96,
        Action::Remove { .. } => -1,
        _ => 0,
    })
}

/// What the first card of a pile follows. To the watchtower any will do; the number is a guess.
fn bottom(space: &str) -> i64 {
    if space == "I" || space == "III" { 0 } else { 13 }
}

/// The value that the next card has to follow; that of a hero on top is told by the pile.
fn top(board: &Board, space: &str) -> i64 {
    let pile = board.at(space);
    match pile.cards.last() {
        None => bottom(space),
        Some(card) if card.colour == "hero" => pile.hero.unwrap_or(0),
        Some(card) => card.value,
    }
}
