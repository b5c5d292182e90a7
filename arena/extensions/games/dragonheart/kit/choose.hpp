// How the bot plays Dragonheart. `arena rules dragonheart` explains the game.
#include "kit/dragonheart.hpp"
#include "kit/loop.hpp"

namespace dragonheart {

const std::map<std::string, int> rows{{"dwarf", 4}, {"huntress", 3}, {"knight", 2}, {"ship", 3}};
const std::map<std::string, std::vector<std::string>> collects{
    {"dwarf", {"dwarf"}},     {"fire_dragon", {"treasure"}},     {"huntress", {"fire_dragon"}},
    {"ship", {"quay"}},       {"knight", {"sorceress", "troll"}}, {"troll", {"sorceress"}},
    {"sorceress", {"treasure", "petrified"}},
};

inline int points(const std::vector<Card>& cards) {
    int sum = 0;
    for (const Card& card : cards) sum += card.value;
    return sum;
}

// How good an action is: what collects most now, and if nothing does, the cheapest.
inline double worth(const Board& board, const Action& action) {
    if (auto take = std::get_if<Take>(&action)) return points(board.at(take->space));
    const auto& cards = std::get<Play>(action).cards;
    const std::string& kind = cards[0].kind;
    bool is_full = !rows.count(kind) || int(board.at(kind).size() + cards.size()) >= rows.at(kind);
    int gain = 0;
    if (is_full && collects.count(kind))
        for (auto& space : collects.at(kind)) gain = std::max(gain, points(board.at(space)));
    return 100 * gain - 10 * int(cards.size()) - points(cards);
}

// The index of the action to play.
inline int choose(const Observation& observation, const std::vector<Action>& legal, kit::Game&) {
    // 1. Three points go with the dragon figure: see observation.figure, and the petrified.
    // 2. Look at what a play leaves for the other seat, and count that against it.
    // 3. What both seats have played is in observation.played: which cards may still come?
    return kit::best(legal, [&](const Action& each) { return worth(observation.board, each); });
}
}  // namespace dragonheart
