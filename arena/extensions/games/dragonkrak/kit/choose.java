import java.util.List;
import java.util.Map;
import kit.*;
import kit.DragonkrakTypes.*;

/** How the bot plays Dragonkrak. `arena rules dragonkrak` explains the game. */
public class Dragonkrak {
    /** What the first card of a pile follows. To the watchtower any will do; it is a guess. */
    static final Map<String, Integer> BOTTOM = Map.of(
            "I", 0, "II", 13, "III", 0, "IV", 13, "tower", 13);

    /** The index of the action to play. */
    static int choose(Observation observation, List<Action> legal, Game game) {
        // 1. A card that leads on to others of the hand is worth more than it skips.
        // 2. Tokens are worth nothing here: say in worth() when one helps you or stops the others.
        // 3. Alone (game.start.seats() is 1) nobody hurries you: do not skip many values.
        return Kit.best(legal, action -> worth(observation.board(), action));
    }

    /** How good an action is: a card that skips few values, else the end of the turn. */
    static double worth(Board board, Action action) {
        if (action instanceof Place place) {
            int value = place.value().orElse(place.card().value()); // a hero takes one
            return 100 - Math.abs(value - top(board, place.space()));
        }
        if (action instanceof Fly fly) // to where the others have most room to place cards
            return Math.abs(13 - BOTTOM.get(fly.army()) - top(board, fly.army()));
        return action instanceof End ? 96 : action instanceof Remove ? -1 : 0;
    }

    /** The value that the next card has to follow; that of a hero on top is told by the pile. */
    static int top(Board board, String space) {
        Pile pile = board.at(space);
        if (pile.cards().isEmpty()) return BOTTOM.get(space);
        int value = pile.cards().get(pile.cards().size() - 1).value();
        return value > 0 ? value : pile.hero().orElse(0);
    }
}
