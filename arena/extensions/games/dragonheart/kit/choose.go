// How the bot plays Dragonheart. `arena rules dragonheart` explains the game.

package main

import "bot/kit"
import "bot/kit/dragonheart"

var rows = map[string]int{"dwarf": 4, "huntress": 3, "knight": 2, "ship": 3} // cards in a full row
var collects = map[string][]string{
	"dwarf": {"dwarf"}, "fire_dragon": {"treasure"}, "huntress": {"fire_dragon"}, "ship": {"quay"},
	"knight": {"sorceress", "troll"}, "troll": {"sorceress"}, "sorceress": {"treasure", "petrified"},
}

// The index of the action to play: what collects most now, and if nothing does, the cheapest.
func chooseDragonheart(seen *dragonheart.Observation, legal dragonheart.Legal, game *kit.Game) int {
	// 1. Three points go with the dragon figure: see seen.Figure, and the petrified.
	// 2. Look at what a play leaves for the other seat, and count that against it.
	// 3. What both seats have played is in seen.Played: which cards may still come?
	return kit.Best(legal, func(action dragonheart.Action) int {
		if take, ok := action.(dragonheart.Take); ok {
			return points(seen.Board.At(take.Space))
		}
		cards, gain := action.(dragonheart.Play).Cards, 0
		kind := cards[0].Kind
		if len(seen.Board.At(kind))+len(cards) >= rows[kind] {
			for _, space := range collects[kind] {
				gain = kit.Max(gain, points(seen.Board.At(space)))
			}
		}
		return 100*gain - 10*len(cards) - points(cards)
	})
}

func points(cards []dragonheart.Card) (sum int) {
	for _, card := range cards {
		sum += card.Value
	}
	return
}
