// How the bot plays Dragonrealm. `arena rules dragonrealm` explains the game.

package main

import "bot/kit"
import "bot/kit/dragonrealm"

// The index of the action to play: explores where the dice should do. To rest is worth 0.
func chooseDragonrealm(seen *dragonrealm.Observation, legal dragonrealm.Legal, game *kit.Game) int {
	// 1. To sneak takes cards of consecutive values: dice() does not find them yet.
	// 2. A location pays when it is full: see its adventurers, spaces and reward.
	// 3. Enhancements are worth nothing here: say below which to keep and when to use them.
	return kit.Best(legal, func(action dragonrealm.Action) int {
		switch action := action.(type) {
		case dragonrealm.Explore:
			needed := map[string]int{}
			for _, place := range seen.Row {
				if place.Id == action.Location {
					needed["sneak"], needed["search"], needed["storm"] = place.Sneak, place.Search, place.Storm
				}
			}
			return 5*dice(seen.Hand)[action.Way] - 2*needed[action.Way] - 2 // a die shows two and a half
		case dragonrealm.Play:
			return len(action.Cards)
		}
		return 0
	})
}

// By the way how many cards of the hand can be played together: one die for each.
func dice(hand []dragonrealm.Card) map[string]int {
	most, suits, values := map[string]int{"sneak": 1}, map[string]int{}, map[int]int{}
	for _, card := range hand {
		suits[card.Suit]++
		values[card.Value]++
		most["storm"] = kit.Max(most["storm"], suits[card.Suit])
		most["search"] = kit.Max(most["search"], values[card.Value])
	}
	return most
}
