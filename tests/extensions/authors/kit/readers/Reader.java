import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import kit.Json;

/** Says of each line what the kit reads in it: see tests/extensions/authors/kit/test_json.py. */
public class Reader {
    public static void main(String[] words) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            try {
                System.out.println(shown(Json.read(line)));
            } catch (IllegalArgumentException noJson) {
                System.out.println("bad");
            }
        }
    }

    static String shown(Object json) {
        if (json == null) return "n";
        if (json instanceof Boolean flag) return flag ? "t" : "f";
        if (json instanceof Double number) return String.format("#%016x", Double.doubleToLongBits(number));
        if (json instanceof String text) return text(text);
        if (json instanceof List<?> list)
            return list.stream().map(each -> shown(each) + ",").collect(Collectors.joining("", "[", "]"));
        Map<String, String> sorted = new TreeMap<>();
        ((Map<?, ?>) json).forEach((key, each) -> sorted.put(text((String) key), shown(each)));
        return sorted.entrySet().stream()
            .map(each -> each.getKey() + ":" + each.getValue() + ",").collect(Collectors.joining("", "{", "}"));
    }

    static String text(String text) {
        return '"' + HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
    }
}
