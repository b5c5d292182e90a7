// How the bot plays Dragonrealm. `arena rules dragonrealm` explains the game.
#include "kit/dragonrealm.hpp"
#include "kit/loop.hpp"

namespace dragonrealm {

// How many cards of the hand can be played together in this way: one die for each.
inline int dice(const std::vector<Card>& hand, const std::string& way) {
    int most = 1;
    std::map<std::string, int> suits;
    std::map<int, int> values;
    for (const Card& card : hand) {
        if (way == "storm") most = std::max(most, ++suits[card.suit]);
        if (way == "search") most = std::max(most, ++values[card.value]);
    }
    return most;
}

// How good an action is: explores where the dice should do. To rest is worth 0.
inline double worth(const Observation& observation, const Action& action) {
    if (auto play = std::get_if<Play>(&action)) return double(play->cards.size());
    auto explore = std::get_if<Explore>(&action);
    if (!explore) return 0;
    const std::string& way = explore->way;
    long long needed = 0;
    for (const Location& place : observation.row)
        if (place.id == explore->location)
            needed = way == "sneak" ? place.sneak : way == "search" ? place.search : place.storm;
    return double(5 * dice(observation.hand, way) - 2 * needed - 2);  // a die shows two and a half
}

// The index of the action to play.
inline int choose(const Observation& observation, const std::vector<Action>& legal, kit::Game&) {
    // 1. To sneak takes cards of consecutive values: dice() does not find them yet.
    // 2. A location pays when it is full: see its adventurers, spaces and reward.
    // 3. Enhancements are worth nothing here: say in worth() which to keep, when to use them.
    return kit::best(legal, [&](const Action& action) { return worth(observation, action); });
}
}  // namespace dragonrealm
