package kit;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Turns JSON into records. What a record does not know is left out; what is absent is empty. */
final class Reading {
    private Reading() {}

    static Object read(Type type, Object json) {
        if (type instanceof ParameterizedType generic) return readGeneric(generic, json);
        Class<?> kind = (Class<?>) type;
        if (kind == int.class || kind == Integer.class) return json == null ? 0 : ((Double) json).intValue();
        if (kind == long.class || kind == Long.class) return json == null ? 0L : ((Double) json).longValue();
        if (kind == double.class) return json == null ? 0.0 : json;
        if (kind == boolean.class) return json != null && (Boolean) json;
        if (kind == String.class) return json == null ? "" : json;
        try {
            if (kind.isSealed()) return readOneOf(kind, (Map<?, ?>) json);
            if (!kind.isRecord()) return json;
            if (json instanceof String) return kind.getMethod("of", String.class).invoke(null, json);
            return readRecord(kind, (Map<?, ?>) json);
        } catch (InvocationTargetException | NoSuchMethodException | InstantiationException
                | IllegalAccessException error) {
            throw new IllegalStateException(error);
        }
    }

    private static Object readGeneric(ParameterizedType type, Object json) {
        Type[] inner = type.getActualTypeArguments();
        if (type.getRawType() == Optional.class) {
            return json == null ? Optional.empty() : Optional.of(read(inner[0], json));
        }
        if (type.getRawType() == List.class) {
            List<Object> made = new ArrayList<>();
            if (json != null) for (Object each : (List<?>) json) made.add(read(inner[0], each));
            return made;
        }
        Map<Object, Object> made = new HashMap<>();
        if (json != null) ((Map<?, ?>) json).forEach((key, each) -> made.put(key, read(inner[1], each)));
        return made;
    }

    private static Object readRecord(Class<?> kind, Map<?, ?> json)
            throws InvocationTargetException, NoSuchMethodException, InstantiationException, IllegalAccessException {
        RecordComponent[] fields = kind.getRecordComponents();
        Class<?>[] types = new Class<?>[fields.length];
        Object[] values = new Object[fields.length];
        for (int i = 0; i < fields.length; i++) {
            types[i] = fields[i].getType();
            values[i] = read(fields[i].getGenericType(), json.get(fields[i].getName().replaceFirst("_$", "")));
        }
        return kind.getDeclaredConstructor(types).newInstance(values);
    }

    /** The record whose name is that of the type, as CounterOrder is of counter_order. */
    private static Object readOneOf(Class<?> kind, Map<?, ?> json)
            throws InvocationTargetException, NoSuchMethodException, InstantiationException, IllegalAccessException {
        String type = (String) json.get("type");
        for (Class<?> each : kind.getPermittedSubclasses()) {
            if (each.getSimpleName().equalsIgnoreCase(type.replace("_", ""))) return readRecord(each, json);
        }
        return readRecord(kind.getPermittedSubclasses()[kind.getPermittedSubclasses().length - 1], json);
    }
}
