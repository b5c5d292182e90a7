// Package kit speaks with the referee, so that your files need not.
package kit

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"syscall"

	"bot/kit/messages"
)

// Game is what there is to know besides the observation.
type Game struct {
	Start    messages.Start // seats, options, card data and clock of this game
	Random   *rand.Rand     // for all choices by chance: the same when the game is played again
	TimeLeft *float64       // seconds that this answer may take; nil: no limit
	Act      []byte         // the question as it came, in JSON
	Info     Info           // what to keep with this answer; empty again at each question
}

// Info is kept with an answer and shown beside it. What is not set is left out.
type Info struct {
	Eval  any             `json:"eval,omitempty"` // a number: how good it looks for you; more is better
	Text  string          `json:"text,omitempty"`
	P     map[int]float64 `json:"p,omitempty"` // by index of a legal action a share from 0 to 1
	Nodes int             `json:"nodes,omitempty"`
}

// Option is an option of the bot, of the type of other, which stands where none is set.
func Option[T bool | int | float64 | string](game *Game, name string, other T) T {
	options, _ := game.Start.BotOptions.(map[string]any)
	value := options[name]
	if number, ok := value.(float64); ok {
		if _, whole := any(other).(int); whole {
			value = int(number)
		}
	}
	if found, ok := value.(T); ok {
		return found
	}
	return other
}

// A Player answers an act by the index of an action.
type Player func(game *Game, observation, legal []byte) (int, error)

// For makes a player of the choice of a game.
func For[Observation, Legal any](choose func(*Observation, Legal, *Game) int) Player {
	return func(game *Game, seen, allowed []byte) (int, error) {
		observation, legal := new(Observation), *new(Legal)
		if err := json.Unmarshal(seen, observation); err != nil {
			return 0, err
		}
		if err := json.Unmarshal(allowed, &legal); err != nil {
			return 0, err
		}
		return choose(observation, legal, game), nil
	}
}

// Best is the index of the action that is worth most; of equal ones the first.
func Best[Action any](legal []Action, worth func(Action) int) int {
	best := 0
	most := worth(legal[0])
	for index, action := range legal {
		if value := worth(action); value > most {
			most, best = value, index
		}
	}
	return best
}

// Or is what may be there, or else the other.
func Or[T any](maybe *T, other T) T {
	if maybe != nil {
		return *maybe
	}
	return other
}

// Abs is how far a number is from 0.
func Abs(number int) int { return Max(number, -number) }

// Max is the greater of two numbers.
func Max(a, b int) int {
	if a > b {
		return a
	}
	return b
}

// Min is the smaller of two numbers.
func Min(a, b int) int { return -Max(-a, -b) }

// Play plays games until there are no more; players by the names of the games.
func Play(name string, players map[string]Player) {
	descriptor, err := syscall.Dup(1)
	check(err)
	check(syscall.Dup3(2, 1, 0)) // what is printed, here or by a child, goes to standard error
	syscall.CloseOnExec(descriptor)
	wire := os.NewFile(uintptr(descriptor), "wire")

	game := &Game{}
	input := bufio.NewReader(os.Stdin)
	for {
		line, err := input.ReadBytes('\n')
		if err != nil {
			return
		}
		var message struct {
			Type, ID           string
			TimeLeft           *float64 `json:"time_left"`
			Observation, Legal json.RawMessage
		}
		check(json.Unmarshal(line, &message))
		switch message.Type {
		case "hello":
			send(wire, map[string]any{
				"type": "ready", "protocol": 1, "name": name, "wants": []string{"observation", "legal"},
			})
		case "start":
			game = &Game{}
			check(json.Unmarshal(line, &game.Start))
			game.Random = rand.New(rand.NewSource(int64(game.Start.Seed)))
		case "act":
			game.TimeLeft, game.Act, game.Info = message.TimeLeft, line, Info{}
			index, err := players[game.Start.Rules](game, message.Observation, message.Legal)
			check(err)
			answer := map[string]any{"type": "action", "id": message.ID, "action": index}
			if info, err := json.Marshal(game.Info); err == nil && string(info) != "{}" {
				answer["info"] = json.RawMessage(info) // what cannot be written, as NaN, is not sent
			}
			send(wire, answer)
		case "bye":
			return
		}
	}
}

func send(wire *os.File, message map[string]any) {
	line, err := json.Marshal(message)
	check(err)
	_, err = wire.Write(append(line, '\n'))
	check(err)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
