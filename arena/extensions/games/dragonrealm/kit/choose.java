import java.util.*;
import kit.*;
import kit.DragonrealmTypes.*;

/** How the bot plays Dragonrealm. `arena rules dragonrealm` explains the game. */
public class Dragonrealm {
    /** The index of the action to play. */
    static int choose(Observation observation, List<Action> legal, Game game) {
        // 1. To sneak takes cards of consecutive values: dice() does not find them yet.
        // 2. A location pays when it is full: see its adventurers, spaces and reward.
        // 3. Enhancements are worth nothing here: say in worth() which to keep, when to use them.
        return Kit.best(legal, action -> worth(observation, action));
    }

    /** How good an action is: explores where the dice should do. To rest is worth 0. */
    static double worth(Observation observation, Action action) {
        if (action instanceof Play play) return play.cards().size();
        if (!(action instanceof Explore explore)) return 0;
        for (Location place : observation.row())
            if (place.id().equals(explore.location())) {
                var needed = Map.of(
                        "sneak", place.sneak(), "search", place.search(), "storm", place.storm());
                int dice = dice(observation.hand(), explore.way()); // each shows two and a half
                return 5 * dice - 2 * needed.get(explore.way()) - 2;
            }
        return 0;
    }

    /** How many cards of the hand can be played together in this way: one die for each. */
    static int dice(List<Card> hand, String way) {
        int most = 1;
        Map<Object, Integer> alike = new HashMap<>();
        if (way.equals("sneak")) return most;
        for (Card card : hand) {
            Object sign = way.equals("storm") ? card.suit() : card.value();
            most = Math.max(most, alike.merge(sign, 1, Integer::sum));
        }
        return most;
    }
}
