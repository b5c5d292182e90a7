package kit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads JSON: a Map, List, String, Double, Boolean or null. Nothing of it is needed to play. */
public final class Json {
    private static final int DEEPEST = 200;
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** The value that is the whole text. Throws IllegalArgumentException if it is not JSON. */
    public static Object read(String text) {
        Json reader = new Json(text);
        Object value = reader.value(0);
        reader.skip();
        reader.check(reader.at == text.length());
        return value;
    }

    /** A text as JSON. */
    public static String quoted(String text) {
        StringBuilder made = new StringBuilder("\"");
        for (char each : text.toCharArray()) {
            if (each == '"' || each == '\\') made.append('\\');
            if (each >= ' ') made.append(each);
            else made.append(String.format("\\u%04x", (int) each));
        }
        return made.append('"').toString();
    }

    private void check(boolean isJson) {
        if (!isJson) throw new IllegalArgumentException("no JSON at character " + at);
    }

    private void skip() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
    }

    private char peek() {
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private boolean next(char expected) {
        skip();
        if (peek() != expected) return false;
        at++;
        return true;
    }

    private Object word(String word, Object value) {
        check(text.startsWith(word, at));
        at += word.length();
        return value;
    }

    private Object value(int depth) {
        skip();
        check(depth <= DEEPEST);
        return switch (peek()) {
            case '{' -> object(depth);
            case '[' -> list(depth);
            case '"' -> string();
            case 't' -> word("true", true);
            case 'f' -> word("false", false);
            case 'n' -> word("null", null);
            default -> number();
        };
    }

    private Map<String, Object> object(int depth) {
        Map<String, Object> found = new HashMap<>();
        at++;
        if (next('}')) return found;
        do {
            skip();
            String key = string();
            check(next(':'));
            found.put(key, value(depth + 1));
        } while (next(','));
        check(next('}'));
        return found;
    }

    private List<Object> list(int depth) {
        List<Object> found = new ArrayList<>();
        at++;
        if (next(']')) return found;
        do {
            found.add(value(depth + 1));
        } while (next(','));
        check(next(']'));
        return found;
    }

    private void digits() {
        check(peek() >= '0' && peek() <= '9');
        while (peek() >= '0' && peek() <= '9') at++;
    }

    private Double number() {
        int first = at;
        if (peek() == '-') at++;
        if (peek() == '0') at++;
        else digits();
        if (peek() == '.') {
            at++;
            digits();
        }
        if (peek() == 'e' || peek() == 'E') {
            at++;
            if (peek() == '+' || peek() == '-') at++;
            digits();
        }
        return Double.valueOf(text.substring(first, at));
    }

    private String string() {
        check(peek() == '"');
        StringBuilder found = new StringBuilder();
        for (at++; peek() != '"'; at++) {
            check(peek() >= ' ');
            found.append(peek() == '\\' ? escape() : peek());
        }
        at++;
        return found.toString();
    }

    /** The character that an escape stands for; its last one is where the reader is then. */
    private char escape() {
        at++;
        int index = "\"\\/bfnrt".indexOf(peek());
        if (index >= 0) return "\"\\/\b\f\n\r\t".charAt(index);
        check(peek() == 'u' && at + 4 < text.length());
        int code = 0;
        for (int i = 0; i < 4; i++) {
            int digit = Character.digit(text.charAt(++at), 16);
            check(digit >= 0);
            code = code * 16 + digit;
        }
        return (char) code;
    }
}
