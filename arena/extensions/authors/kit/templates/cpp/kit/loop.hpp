// Speaks with the referee, so that your files need not.
#pragma once

#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "messages.hpp"

namespace kit {

// SplitMix64, which suits the distributions and std::shuffle of the standard library.
struct Random {
    using result_type = std::uint64_t;
    result_type state = 0;

    static constexpr result_type min() { return 0; }
    static constexpr result_type max() { return ~result_type{0}; }

    result_type operator()() {
        result_type mixed = state += 0x9e3779b97f4a7c15;
        mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
        return mixed ^ mixed >> 31;
    }
};

// What is kept with an answer and shown beside it. What is not set is left out.
struct Info {
    std::optional<double> eval;  // how good it looks for you; more is better
    std::string text;
    std::map<int, double> p;  // by index of a legal action a share from 0 to 1
    long long nodes = 0;

    // What is set and can be written, as a part of the answer.
    std::string json() const {
        std::string made, shares;
        auto add = [](std::string& to, const std::string& name, const std::string& value) {
            to += (to.empty() ? "" : ",") + quoted(name) + ":" + value;
        };
        if (eval && std::isfinite(*eval)) add(made, "eval", written(*eval));
        if (!text.empty()) add(made, "text", quoted(text));
        for (auto& [index, share] : p)
            if (std::isfinite(share)) add(shares, std::to_string(index), written(share));
        if (!shares.empty()) add(made, "p", "{" + shares + "}");
        if (nodes) add(made, "nodes", std::to_string(nodes));
        return made.empty() ? "" : ",\"info\":{" + made + "}";
    }
};

// What there is to know besides the observation.
struct Game {
    messages::Start start;            // seats, options, card data and clock of this game
    Random random;                    // for all choices by chance: the same when it is played again
    std::optional<double> time_left;  // seconds that this answer may take; none: no limit
    Json act;                         // the question as it came
    Info info;                        // what to keep with this answer; empty again at each question

    // An option of the bot, of the type of `other`, which stands where none is set.
    template <class T> T option(const char* key, T other) const {
        const Json& json = start.bot_options[key];
        if (json.kind == Json::Null) return other;
        if constexpr (std::is_same_v<T, bool>) return json.flag;
        else if constexpr (std::is_arithmetic_v<T>) return static_cast<T>(json.number);
        else return json.text;
    }
    std::string option(const char* key, const char* other) const { return option(key, std::string(other)); }
};

// The index of the action that is worth most; of equal ones the first.
template <class Action, class Worth> int best(const std::vector<Action>& legal, Worth worth) {
    int found = 0;
    double most = worth(legal[0]);
    for (std::size_t i = 1; i < legal.size(); ++i)
        if (double value = worth(legal[i]); value > most) most = value, found = static_cast<int>(i);
    return found;
}

// Answers an `act` by the index of an action.
using Player = int (*)(Game&);

template <class Observation, class Action, class Choose> int ask(Choose choose, Game& game) {
    Observation observation;
    std::vector<Action> legal;
    read(game.act["observation"], observation);
    read(game.act["legal"], legal);
    return choose(observation, legal, game);
}

// Plays games until there are no more. `players`: by the name of the game.
inline int play(const std::string& name, const std::map<std::string, Player>& players) {
    std::FILE* wire = fdopen(dup(1), "w");
    dup2(2, 1);  // what is printed, here or by a child process, goes to standard error
    std::setvbuf(stdout, nullptr, _IONBF, 0);

    auto send = [wire](const std::string& line) {
        std::fputs((line + "\n").c_str(), wire);
        std::fflush(wire);
    };

    char* line = nullptr;
    std::size_t room = 0;
    Game game;
    for (ssize_t length; (length = getline(&line, &room, stdin)) >= 0;) {
        Json message;
        if (!Reader(line, line + length).read(message)) continue;
        const std::string& type = message["type"].text;
        if (type == "hello") {
            std::string ready = R"({"type":"ready","protocol":1,"wants":["observation","legal"])";
            send(ready + ",\"name\":\"" + name + "\"}");
        } else if (type == "start") {
            game = Game();
            read(message, game.start);
            game.random.state = static_cast<std::uint64_t>(game.start.seed);
        } else if (type == "act") {
            read(message["time_left"], game.time_left);
            game.act = std::move(message);
            game.info = Info();
            int index = players.at(game.start.rules)(game);
            std::string action = R"({"type":"action","id":")" + game.act["id"].text;
            send(action + "\",\"action\":" + std::to_string(index) + game.info.json() + "}");
        } else if (type == "bye") {
            break;
        }
    }
    return 0;
}

}  // namespace kit
