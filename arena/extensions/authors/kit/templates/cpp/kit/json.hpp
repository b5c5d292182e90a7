// Reads JSON: a value, and a function that makes one of a text. Also writes texts and numbers.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace kit {

struct Json {
    enum Kind { Null, Bool, Number, Text, List, Object } kind = Null;
    bool flag = false;
    double number = 0;
    std::string text;
    std::vector<Json> list;
    std::map<std::string, Json, std::less<>> object;

    // The value of a key; null if there is none, or this is no object.
    const Json& operator[](const char* key) const {
        static const Json none;
        auto found = object.find(key);
        return found == object.end() ? none : found->second;
    }
};

// A text as JSON.
inline std::string quoted(const std::string& text) {
    std::string made = "\"";
    char code[8];
    for (char c : text) {
        if (c == '"' || c == '\\') made += '\\';
        if (static_cast<unsigned char>(c) >= 0x20) made += c;
        else std::snprintf(code, sizeof code, "\\u%04x", c), made += code;
    }
    return made + '"';
}

// A number as JSON, which has to be finite.
inline std::string written(double number) {
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", number);
    return text;
}

class Reader {
public:
    Reader(const char* begin, const char* end) : at(begin), end(end) {}

    // The value that is the whole text; false if it is not JSON.
    bool read(Json& json) { return value(json, 0) && (skip(), at == end); }

private:
    const char* at;
    const char* end;
    static constexpr int deepest = 200;

    void skip() {
        while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) ++at;
    }

    bool word(const char* expected) {
        for (; *expected; ++expected, ++at)
            if (at == end || *at != *expected) return false;
        return true;
    }

    bool next(char expected) {
        skip();
        return at < end && *at == expected && (++at, true);
    }

    bool value(Json& json, int depth) {
        skip();
        if (at == end || depth > deepest) return false;
        switch (*at) {
            case 'n': return word("null");
            case 't': json.kind = Json::Bool; return json.flag = word("true");
            case 'f': json.kind = Json::Bool; return word("false");
            case '"': json.kind = Json::Text; return text(json.text);
            case '[': ++at; json.kind = Json::List; return list(json, depth);
            case '{': ++at; json.kind = Json::Object; return object(json, depth);
            default: json.kind = Json::Number; return number(json.number);
        }
    }

    bool list(Json& json, int depth) {
        if (next(']')) return true;
        do {
            json.list.emplace_back();
            if (!value(json.list.back(), depth + 1)) return false;
        } while (next(','));
        return next(']');
    }

    bool object(Json& json, int depth) {
        if (next('}')) return true;
        do {
            std::string key;
            skip();
            if (!text(key) || !next(':') || !value(json.object[key], depth + 1)) return false;
        } while (next(','));
        return next('}');
    }

    bool digits() {
        const char* first = at;
        while (at < end && *at >= '0' && *at <= '9') ++at;
        return at > first;
    }

    bool number(double& found) {
        const char* first = at;
        if (at < end && *at == '-') ++at;
        if (at < end && *at == '0') ++at;
        else if (!digits()) return false;
        if (at < end && *at == '.' && (++at, !digits())) return false;
        if (at < end && (*at == 'e' || *at == 'E')) {
            ++at;
            if (at < end && (*at == '+' || *at == '-')) ++at;
            if (!digits()) return false;
        }
        found = std::strtod(std::string(first, at).c_str(), nullptr);
        return true;
    }

    bool text(std::string& found) {
        if (at == end || *at++ != '"') return false;
        while (at < end && *at != '"') {
            if (static_cast<unsigned char>(*at) < 0x20) return false;
            if (*at != '\\') found += *at++;
            else if (++at == end || !escape(found)) return false;
        }
        return at < end && (++at, true);
    }

    bool escape(std::string& found) {
        static const std::string names = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
        char name = *at++;
        if (name == 'u') return unicode(found);
        auto index = names.find(name);
        if (index == std::string::npos) return false;
        found += meant[index];
        return true;
    }

    bool hex(unsigned& code) {
        code = 0;
        for (int i = 0; i < 4; ++i, ++at) {
            if (at == end) return false;
            int digit = *at >= '0' && *at <= '9' ? *at - '0' : (*at | 32) - 'a' + 10;
            if (digit < 0 || digit > 15 || (digit > 9 && (*at | 32) < 'a')) return false;
            code = code * 16 + static_cast<unsigned>(digit);
        }
        return true;
    }

    bool unicode(std::string& found) {
        unsigned code, low;
        if (!hex(code)) return false;
        if (code >= 0xDC00 && code < 0xE000) return false;
        if (code >= 0xD800 && code < 0xDC00) {  // the first half of a pair
            if (!word("\\u") || !hex(low) || low < 0xDC00 || low >= 0xE000) return false;
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        }
        auto add = [&](unsigned byte) { found += static_cast<char>(byte); };
        if (code < 0x80) return add(code), true;
        if (code < 0x800) add(0xC0 | code >> 6);
        else if (code < 0x10000) add(0xE0 | code >> 12), add(0x80 | (code >> 6 & 0x3F));
        else add(0xF0 | code >> 18), add(0x80 | (code >> 12 & 0x3F)), add(0x80 | (code >> 6 & 0x3F));
        add(0x80 | (code & 0x3F));
        return true;
    }
};

}  // namespace kit
