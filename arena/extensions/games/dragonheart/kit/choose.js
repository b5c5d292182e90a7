'use strict';
// How the bot plays Dragonheart. `arena rules dragonheart` explains the game.

const { best } = require('./kit/loop');
/** @typedef {import('./kit/dragonheart').Observation} Observation */
/** @typedef {import('./kit/dragonheart').Action} Action */

const ROWS = { dwarf: 4, huntress: 3, knight: 2, ship: 3 }; // cards in a full row
const COLLECTS = {
  dwarf: ['dwarf'],
  fire_dragon: ['treasure'],
  huntress: ['fire_dragon'],
  knight: ['sorceress', 'troll'],
  ship: ['quay'],
  sorceress: ['treasure', 'petrified'],
  troll: ['sorceress'],
};
const points = (cards) => cards.reduce((sum, card) => sum + card.value, 0);

/** @type {import('./kit/loop').Choose<Observation, Action>} */
function choose(observation, legal, game) {
  // 1. Three points go with the dragon figure: see observation.figure, and the petrified.
  // 2. Look at what a play leaves for the other seat, and count that against it.
  // 3. What both seats have played is in observation.played: which cards may still come?
  return best(legal, (action) => worth(observation, action)); // the index of the best action
}

// How good an action is: what collects most now, and if nothing does, the cheapest.
function worth({ board }, action) {
  if (action.type !== 'play') return points(board[action.space]);
  const { kind } = action.cards[0];
  const isFull = board[kind].length + action.cards.length >= (ROWS[kind] || 0);
  const spaces = isFull ? COLLECTS[kind] || [] : [];
  const gain = Math.max(0, ...spaces.map((space) => points(board[space])));
  return 100 * gain - 10 * action.cards.length - points(action.cards);
}

module.exports = choose;
