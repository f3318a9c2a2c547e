package io.farheap.objects.type;

import io.farheap.objects.type.TypeDescriptor.Field;
import io.farheap.objects.type.TypeDescriptor.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The type table as a header for programs in C that read the pool through libpmemobj. */
public final class CHeader {
    private static final Set<String> KEYWORDS =
            Set.of(
                    "auto",
                    "char",
                    "const",
                    "default",
                    "double",
                    "enum",
                    "extern",
                    "float",
                    "inline",
                    "int",
                    "long",
                    "register",
                    "restrict",
                    "short",
                    "signed",
                    "sizeof",
                    "static",
                    "struct",
                    "typedef",
                    "union",
                    "unsigned",
                    "void",
                    "volatile");

    private static final String HEAD =
            """
            /* The types of a pool of typed objects, for reading it through libpmemobj. */
            #ifndef FARHEAP_TYPES_H
            #define FARHEAP_TYPES_H
            #include <stddef.h>
            #include <stdint.h>
            #include <libpmemobj.h>

            /* A value of no fixed size, such as a String. */
            typedef struct { uint8_t bytes[16]; } __attribute__((aligned(8))) farheap_value;

            /* Instant, Duration */
            typedef struct { int64_t seconds; int32_t nanoseconds; }
                    __attribute__((packed, aligned(4))) farheap_time;

            /* LocalDateTime; UUID: upper and lower half */
            typedef struct { int64_t first; int64_t second; } farheap_pair;

            /* The pool's root object (pmemobj_root). */
            struct farheap_root {
                char magic[8]; /* FHTYPES1 */
                uint32_t version;
                uint32_t zero;
                uint64_t newest_type;
                uint64_t reclaims;
                PMEMoid root; /* the program's */
                uint64_t zeros[2];
            };

            /* The bytes of a value, not ended by 0, and their number; NULL for null. */
            static inline const char *
            farheap_bytes(PMEMobjpool *pop, const farheap_value *value, uint32_t *length)
            {
                uint8_t tag = value->bytes[15];
                if (tag == 0)
                    return NULL;
                if (tag != 0x80) {
                    *length = tag - 1u;
                    return (const char *)value->bytes;
                }
                uint64_t block = 0;
                for (int i = 6; i >= 0; i--)
                    block = block << 8 | value->bytes[8 + i];
                *length = (uint32_t)value->bytes[0] | (uint32_t)value->bytes[1] << 8
                        | (uint32_t)value->bytes[2] << 16 | (uint32_t)value->bytes[3] << 24;
                return (const char *)pop + block;
            }

            /*
             * Where the fields of an object are; NULL where it is deleted. Compare the first 8 bytes
             * with the type ids below: an object may be of an older version.
             */
            static inline const void *
            farheap_fields(PMEMobjpool *pop, PMEMoid object)
            {
                const uint64_t *words = pmemobj_direct(object);
                if (words == NULL || words[0] == 0)
                    return NULL;
                return words[0] == 1 ? (const char *)pop + words[1] : (const char *)words;
            }
            """;

    private final StringBuilder text = new StringBuilder(HEAD);
    private final Map<String, String> names = new HashMap<>();

    private CHeader() {}

    /** The header for a type table. */
    public static String of(List<TypeDescriptor> table) {
        CHeader header = new CHeader();
        table.forEach(header::declare);
        return header.text + "\n#endif\n";
    }

    private void declare(TypeDescriptor type) {
        String name = names.computeIfAbsent(type.name(), this::shortName);
        if (type.kind() == Kind.ENUM) {
            constants(type, name);
        } else if (type.kind() != Kind.SEALED) {
            struct(type, type.version() == 1 ? name : name + "_v" + type.version());
        }
    }

    /** What is behind the last dot, or all where another type has that. */
    private String shortName(String full) {
        String simple = mangled(full.substring(full.lastIndexOf('.') + 1));
        return names.containsValue(simple) ? mangled(full) : simple;
    }

    private static String mangled(String name) {
        StringBuilder mangled = new StringBuilder();
        for (char one : name.toCharArray()) {
            boolean isPlain = one < 128 && Character.isLetterOrDigit(one);
            mangled.append(isPlain ? String.valueOf(one) : "_");
        }
        return KEYWORDS.contains(mangled.toString()) ? mangled + "_" : mangled.toString();
    }

    private void constants(TypeDescriptor type, String name) {
        line("");
        line("/* enum %s, version %d */", type.name(), type.version());
        for (Field constant : type.fields()) {
            line("#undef %s_%s", name, mangled(constant.name()));
            line("#define %s_%s %d", name, mangled(constant.name()), constant.offset());
        }
    }

    private void struct(TypeDescriptor type, String name) {
        boolean isObject = type.kind() == Kind.OBJECT;
        line("");
        line(
                "/* %s %s, version %d */",
                isObject ? "object" : "record", type.name(), type.version());
        line("struct %s {", name);
        int end = 0;
        if (isObject) {
            line("    uint64_t farheap_type; /* %s_TYPE */", name);
            end = Long.BYTES;
        }
        List<Field> fields = new ArrayList<>(type.fields());
        fields.sort(Comparator.comparingInt(Field::offset));
        for (Field field : fields) {
            gap(end, field.offset());
            line("    %s /* %s%s */", member(type, field), field.type(), nullBit(field));
            end = field.offset() + field.size();
        }
        gap(end, Math.max(type.size(), 1));
        line("}%s;", isObject ? "" : " __attribute__((packed, aligned(" + type.alignment() + ")))");
        line(
                "_Static_assert(sizeof(struct %s) == %d, \"size of %s\");",
                name, Math.max(type.size(), 1), name);
        for (Field field : fields) {
            line(
                    "_Static_assert(offsetof(struct %s, %s) == %d, \"place of %s\");",
                    name, mangled(field.name()), field.offset(), field.name());
        }
        if (isObject) {
            line("#define %s_TYPE %dULL", name, type.id());
            line("TOID_DECLARE(struct %s, %dULL);", name, type.id());
        } else {
            line("#define %s_NUMBER %d", name, type.number());
        }
    }

    private static String nullBit(Field field) {
        return field.nullBit() < 0 ? "" : ", not null where bit " + field.nullBit() + " is 1";
    }

    private void gap(int from, int to) {
        if (to > from) {
            line("    uint8_t farheap_gap_%d[%d];", from, to - from);
        }
    }

    private String member(TypeDescriptor holder, Field field) {
        String name = mangled(field.name());
        if (holder.kind() == Kind.RECORD && isVariable(field)) {
            return String.format("struct { uint32_t place; uint32_t length; } %s;", name);
        }
        return switch (field.type()) {
            case "boolean", "byte" -> "int8_t " + name + ";";
            case "short" -> "int16_t " + name + ";";
            case "char" -> "uint16_t " + name + ";";
            case "int" -> "int32_t " + name + ";";
            case "long", "LocalDate", "LocalTime" -> "int64_t " + name + ";";
            case "float" -> "float " + name + ";";
            case "double" -> "double " + name + ";";
            case "Instant", "Duration" -> "farheap_time " + name + ";";
            case "LocalDateTime", "UUID" -> "farheap_pair " + name + ";";
            default -> ofOther(field, name);
        };
    }

    /** Of no fixed size: in a record's image only its place. */
    private static boolean isVariable(Field field) {
        String type = field.type();
        return type.endsWith("[]")
                || type.startsWith("record ")
                || type.startsWith("sealed ")
                || Set.of("String", "BigInteger", "BigDecimal").contains(type);
    }

    private String ofOther(Field field, String name) {
        String type = field.type();
        if (isVariable(field)) {
            return "farheap_value " + name + ";";
        }
        if (type.startsWith("enum ")) {
            return "uint16_t " + name + ";";
        }
        if (type.startsWith("flat ")) {
            String of = type.substring("flat ".length(), type.lastIndexOf('#'));
            String version = type.substring(type.lastIndexOf('#') + 1);
            String struct = names.computeIfAbsent(of, this::shortName);
            return String.format(
                    "struct %s %s;", version.equals("1") ? struct : struct + "_v" + version, name);
        }
        return "PMEMoid " + name + ";";
    }

    private void line(String format, Object... values) {
        text.append(String.format(format, values)).append('\n');
    }
}
