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
}
