'use strict';
// How the bot plays Dragonkrak. `arena rules dragonkrak` explains the game.

const { best } = require('./kit/loop');
/** @typedef {import('./kit/dragonkrak').Observation} Observation */
/** @typedef {import('./kit/dragonkrak').Action} Action */

const RISING = ['I', 'III']; // the values of the other armies fall

/** @type {import('./kit/loop').Choose<Observation, Action>} */
function choose(observation, legal, game) {
  // 1. A card that leads on to others of the hand is worth more than it skips.
  // 2. Tokens are worth nothing here: say in worth() when one helps you or stops the others.
  // 3. Alone (game.start.seats is 1) nobody hurries you: do not skip many values.
  return best(legal, (action) => worth(observation, action)); // the index of the best action
}

// How good an action is: a card that skips few values, else the end of the turn.
function worth({ board }, action) {
  if (action.type === 'place') {
    if (action.space === 'tower') return 90;
    const isHero = action.card.colour === 'hero';
    const value = isHero ? action.value : action.card.value;
    const skipped = Math.abs(value - top(action.space, board[action.space]));
    return 100 - skipped - (isHero ? 3 : 0);
  }
  if (action.type === 'fly') // where the others have most room to place cards
    return Math.abs(top(action.army, board[action.army]) - (RISING.includes(action.army) ? 13 : 0));
  return { end: 96, remove: -1 }[action.type] || 0;
}

// The value that the next card has to follow.
function top(army, { cards, hero }) {
  if (cards.length === 0) return RISING.includes(army) ? 0 : 13;
  const last = cards[cards.length - 1];
  return last.colour === 'hero' ? hero : last.value;
}

module.exports = choose;
