package kit;

import java.util.Map;
import java.util.Optional;
import java.util.Random;

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

    private Object option(String name) {
        return start.bot_options() instanceof Map<?, ?> options ? options.get(name) : null;
    }
}
