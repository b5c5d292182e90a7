import java.util.List;
import java.util.Map;
import kit.*;
import kit.DragonheartTypes.*;

/** How the bot plays Dragonheart. `arena rules dragonheart` explains the game. */
public class Dragonheart {
    static final Map<String, Integer> ROWS = Map.of( // cards in a full row
            "dwarf", 4, "huntress", 3, "knight", 2, "ship", 3);
    static final Map<String, List<String>> COLLECTS = Map.of(
            "dwarf", List.of("dwarf"), "fire_dragon", List.of("treasure"),
            "huntress", List.of("fire_dragon"), "knight", List.of("sorceress", "troll"),
            "ship", List.of("quay"), "sorceress", List.of("treasure", "petrified"),
            "troll", List.of("sorceress"));

    /** The index of the action to play. */
    static int choose(Observation observation, List<Action> legal, Game game) {
        // 1. Three points go with the dragon figure: see observation.figure(), and the petrified.
        // 2. Look at what a play leaves for the other seat, and count that against it.
        // 3. What both seats have played is in observation.played(): which cards may still come?
        return Kit.best(legal, action -> worth(observation.board(), action));
    }

    /** How good an action is: what collects most now, and if nothing does, the cheapest. */
    static double worth(Board board, Action action) {
        if (action instanceof Take take) return points(board.at(take.space()));
        List<Card> cards = ((Play) action).cards();
        String kind = cards.get(0).kind();
        boolean isFull = board.at(kind).size() + cards.size() >= ROWS.getOrDefault(kind, 0);
        int gain = 0;
        for (String space : isFull ? COLLECTS.getOrDefault(kind, List.of()) : List.<String>of())
            gain = Math.max(gain, points(board.at(space)));
        return 100 * gain - 10 * cards.size() - points(cards);
    }

    static int points(List<Card> cards) {
        return cards.stream().mapToInt(Card::value).sum();
    }
}
