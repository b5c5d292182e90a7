package kit;

import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.StringJoiner;
import java.util.TreeMap;

/** What there is to know besides the observation. */
public final class Game {
    /** Seats, options, card data and clock of this game. */
    public final MessagesTypes.Start start;
    /** For all choices by chance: the same again when the game is played again. */
    public final Random random;
    /** Seconds that this answer may take; empty: no limit. */
    public Optional<Double> time_left = Optional.empty();
    /** The question as it came. */
    public Map<?, ?> act = Map.of();
    /** What to keep with this answer; empty again at each question. */
    public Info info = new Info();

    Game(MessagesTypes.Start start) {
        this.start = start;
        this.random = new Random(start.seed());
    }

    /** An option of the bot, of the type of {@code other}, which stands where none is set. */
    public int option(String name, int other) {
        return (int) option(name, (double) other);
    }

    public double option(String name, double other) {
        return option(name) instanceof Double found ? found : other;
    }

    public boolean option(String name, boolean other) {
        return option(name) instanceof Boolean found ? found : other;
    }

    public String option(String name, String other) {
        return option(name) instanceof String found ? found : other;
    }

    /** What is kept with an answer and shown beside it. What is not set is left out. */
    public static final class Info {
        /** How good it looks for you; more is better. */
        public Double eval;
        public String text = "";
        /** By index of a legal action a share from 0 to 1. */
        public final Map<Integer, Double> p = new TreeMap<>();
        public long nodes;

        /** What is set and can be written, as a part of the answer. */
        String json() {
            StringJoiner made = new StringJoiner(",", ",\"info\":{", "}").setEmptyValue("");
            StringJoiner shares = new StringJoiner(",", "\"p\":{", "}").setEmptyValue("");
            if (eval != null && Double.isFinite(eval)) made.add("\"eval\":" + eval);
            if (!text.isEmpty()) made.add("\"text\":" + Json.quoted(text));
            p.forEach((index, share) -> {
                if (Double.isFinite(share)) shares.add("\"" + index + "\":" + share);
            });
            if (shares.length() > 0) made.add(shares.toString());
            if (nodes != 0) made.add("\"nodes\":" + nodes);
            return made.toString();
        }
    }

    private Object option(String name) {
        return start.bot_options() instanceof Map<?, ?> options ? options.get(name) : null;
    }
}
