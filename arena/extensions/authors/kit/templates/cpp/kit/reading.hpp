// Turns JSON into types: plain ones here, those of a game in its file. What is absent stays empty.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "json.hpp"

namespace kit {

// An action that this kit does not know: arena is newer.
struct Unknown {
    std::string type;
};

inline void read(const Json& json, Json& value) { value = json; }
inline void read(const Json& json, bool& value) { value = json.flag; }
inline void read(const Json& json, long long& value) { value = static_cast<long long>(json.number); }
inline void read(const Json& json, double& value) { value = json.number; }
inline void read(const Json& json, std::string& value) { value = json.text; }

template <class T> void read(const Json& json, std::optional<T>& value);
template <class T> void read(const Json& json, std::map<std::string, T>& value);

template <class T> void read(const Json& json, std::vector<T>& value) {
    value = std::vector<T>(json.list.size());
    for (std::size_t i = 0; i < value.size(); ++i) read(json.list[i], value[i]);
}

template <class T> void read(const Json& json, std::map<std::string, T>& value) {
    for (auto& [key, each] : json.object) read(each, value[key]);
}

template <class T> void read(const Json& json, std::optional<T>& value) {
    if (json.kind != Json::Null) read(json, value.emplace());
}

}  // namespace kit
