// How the bot plays Dragonkrak. `arena rules dragonkrak` explains the game.

package main

import "bot/kit"
import "bot/kit/dragonkrak"

// What the first card of a pile follows. To the watchtower any will do; the number is a guess.
var bottom = map[string]int{"I": 0, "II": 13, "III": 0, "IV": 13, "tower": 13}

// The index of the action to play: a card that skips few values, else the end of the turn.
func chooseDragonkrak(seen *dragonkrak.Observation, legal dragonkrak.Legal, game *kit.Game) int {
	// 1. A card that leads on to others of the hand is worth more than it skips; a hero is rare.
	// 2. Tokens are worth nothing here: say below when one helps you or stops the others.
	// 3. Alone (game.Start.Seats is 1) nobody hurries you: do not skip many values.
	return kit.Best(legal, func(action dragonkrak.Action) int {
		switch action := action.(type) {
		case dragonkrak.Place:
			value := kit.Or(action.Value, action.Card.Value) // a hero takes one
			return 100 - kit.Abs(value-top(seen, action.Space))
		case dragonkrak.Fly: // to where the others have most room to place cards
			return kit.Abs(13 - bottom[action.Army] - top(seen, action.Army))
		case dragonkrak.End:
			return 96
		case dragonkrak.Remove:
			return -1
		}
		return 0
	})
}

// The value that the next card has to follow; that of a hero on top is told by the pile.
func top(seen *dragonkrak.Observation, space string) int {
	pile := seen.Board.At(space)
	if count := len(pile.Cards); count > 0 && pile.Cards[count-1].Value > 0 {
		return pile.Cards[count-1].Value
	}
	return kit.Or(pile.Hero, bottom[space])
}
