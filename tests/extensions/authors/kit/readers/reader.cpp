// Says of each line what the kit reads in it: see tests/extensions/authors/kit/test_json.py.
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "kit/json.hpp"

using kit::Json;

static void print_text(const std::string& text) {
    std::printf("\"");
    for (unsigned char byte : text) std::printf("%02x", byte);
}

static void print(const Json& json) {
    std::uint64_t bits;
    switch (json.kind) {
        case Json::Null: std::printf("n"); break;
        case Json::Bool: std::printf(json.flag ? "t" : "f"); break;
        case Json::Number:
            std::memcpy(&bits, &json.number, 8);
            std::printf("#%016" PRIx64, bits);
            break;
        case Json::Text: print_text(json.text); break;
        case Json::List:
            std::printf("[");
            for (auto& each : json.list) print(each), std::printf(",");
            std::printf("]");
            break;
        case Json::Object:
            std::printf("{");
            for (auto& [key, each] : json.object) print_text(key), std::printf(":"), print(each), std::printf(",");
            std::printf("}");
    }
}

int main() {
    for (std::string line; std::getline(std::cin, line);) {
        Json json;
        if (kit::Reader(line.data(), line.data() + line.size()).read(json)) print(json);
        else std::printf("bad");
        std::printf("\n");
    }
}
