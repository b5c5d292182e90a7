package kit;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/** Speaks with the referee, so that your files need not. */
public final class Kit {
    private Kit() {}

    /** The choice of a game: the index of an action in {@code legal}. */
    public interface Choice<Observation, Action> {
        int choose(Observation observation, List<Action> legal, Game game);
    }

    /** Answers an act by the index of an action. */
    public interface Player {
        int play(Game game);
    }

    /** A player of the types and the choice of a game. */
    public static <Observation, Action> Player player(
            Class<Observation> observation, Class<Action> action, Choice<Observation, Action> choice) {
        return game -> {
            Object seen = Reading.read(observation, game.act.get("observation"));
            List<Action> legal = ((List<?>) game.act.get("legal"))
                    .stream().map(each -> action.cast(Reading.read(action, each))).toList();
            return choice.choose(observation.cast(seen), legal, game);
        };
    }

    /** The index of the action that is worth most; of equal ones the first. */
    public static <Action> int best(List<Action> legal, ToDoubleFunction<Action> worth) {
        int found = 0;
        double most = worth.applyAsDouble(legal.get(0));
        for (int index = 1; index < legal.size(); index++) {
            double value = worth.applyAsDouble(legal.get(index));
            if (value > most) {
                most = value;
                found = index;
            }
        }
        return found;
    }

    /** Plays games until there are no more. {@code players}: by the names of the games. */
    public static void play(String name, Map<String, Player> players) throws IOException {
        // What is printed goes to standard error. A child process that inherits descriptor 1, by
        // inheritIO(), still has the wire: leave its output to pipes, which is the default.
        OutputStream wire = new FileOutputStream(FileDescriptor.out);
        System.setOut(System.err);

        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Game game = null;
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            Map<?, ?> message = (Map<?, ?>) Json.read(line);
            switch ((String) message.get("type")) {
                case "hello" -> send(wire, "\"ready\",\"protocol\":1,\"wants\":[\"observation\",\"legal\"],\"name\":"
                        + Json.quoted(name));
                case "start" -> game = new Game((MessagesTypes.Start) Reading.read(MessagesTypes.Start.class, message));
                case "act" -> {
                    game.time_left = Optional.ofNullable((Double) message.get("time_left"));
                    game.act = message;
                    game.info = new Game.Info();
                    int index = players.get(game.start.rules()).play(game);
                    String id = Json.quoted((String) message.get("id"));
                    send(wire, "\"action\",\"id\":" + id + ",\"action\":" + index + game.info.json());
                }
                case "bye" -> System.exit(0);
                default -> { }
            }
        }
    }

    private static void send(OutputStream wire, String rest) throws IOException {
        wire.write(("{\"type\":" + rest + "}\n").getBytes(StandardCharsets.UTF_8));
        wire.flush();
    }
}
