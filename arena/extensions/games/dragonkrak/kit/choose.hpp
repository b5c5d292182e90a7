// How the bot plays Dragonkrak. `arena rules dragonkrak` explains the game.
#include "kit/dragonkrak.hpp"
#include "kit/loop.hpp"

namespace dragonkrak {

// What the first card of a pile follows. To the watchtower any will do; the number is a guess.
inline int bottom(const std::string& space) { return space == "I" || space == "III" ? 0 : 13; }

// The value that the next card has to follow.
inline int top(const Board& board, const std::string& space) {
    const Pile& pile = board.at(space);
    if (pile.cards.empty()) return bottom(space);
    int value = pile.cards.back().value;
    return value ? value : int(*pile.hero);  // a hero on top has no value but this
}

// How good an action is: a card that skips few values, else the end of the turn.
inline double worth(const Board& board, const Action& action) {
    if (auto place = std::get_if<Place>(&action)) {
        int value = place->value ? int(*place->value) : place->card.value;  // a hero takes one
        return 100 - std::abs(value - top(board, place->space));
    }
    if (auto fly = std::get_if<Fly>(&action))  // to where the others have most room to place cards
        return std::abs(13 - bottom(fly->army) - top(board, fly->army));
    if (std::get_if<End>(&action)) return 96;
    return std::get_if<Remove>(&action) ? -1 : 0;
}

// The index of the action to play.
inline int choose(const Observation& observation, const std::vector<Action>& legal, kit::Game&) {
    // 1. A card that leads on to others of the hand is worth more than it skips; a hero is rare.
    // 2. Tokens are worth nothing here: say in worth() when one helps you or stops the others.
    // 3. Alone (game.start.seats is 1) nobody hurries you: do not skip many values.
    return kit::best(legal, [&](const Action& each) { return worth(observation.board, each); });
}

}  // namespace dragonkrak
