'use strict';
// How the bot plays Dragonkrak. `arena rules dragonkrak` explains the game.

const { best } = require('./kit/loop');
/** @typedef {import('./kit/dragonkrak').Observation} Observation */
/** @typedef {import('./kit/dragonkrak').Action} Action */

// What the first card of a pile follows. To the watchtower any will do; the number is a guess.
const BOTTOM = { I: 0, II: 13, III: 0, IV: 13, tower: 13 };

/** @type {import('./kit/loop').Choose<Observation, Action>} */
function choose(observation, legal, game) {
  // 1. A card that leads on to others of the hand is worth more than it skips; a hero is rare.
  // 2. Tokens are worth nothing here: say in worth() when one helps you or stops the others.
  // 3. Alone (game.start.seats is 1) nobody hurries you: do not skip many values.
  return best(legal, (action) => worth(observation.board, action)); // the index of the best action
}

// How good an action is: a card that skips few values, else the end of the turn.
function worth(board, action) {
  if (action.type === 'place') {
    const value = action.value || action.card.value; // a hero takes one
    return 100 - Math.abs(value - top(action.space, board[action.space]));
  }
  if (action.type === 'fly') { // to where the others have most room to place cards
    return Math.abs(13 - BOTTOM[action.army] - top(action.army, board[action.army]));
  }
  return { end: 96, remove: -1 }[action.type] || 0;
}

// The value that the next card has to follow.
function top(space, { cards, hero }) {
  if (cards.length === 0) return BOTTOM[space];
  return cards[cards.length - 1].value || hero; // a hero on top has no value but this
}

module.exports = choose;
