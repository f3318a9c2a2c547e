package io.farheap.objects.type;

import static io.farheap.objects.type.DescriptorLayout.require;

import io.farheap.objects.type.TypeDescriptor.Field;
import io.farheap.objects.type.TypeDescriptor.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What holds of every descriptor that a program wrote, so that no other is followed. */
final class DescriptorCheck {
    /** Objects begin with a word that names their type, and have room for a place to go on at. */
    static final int FIELDS_AT = Long.BYTES;

    static final int OBJECT_MIN = 2 * Long.BYTES;

    private DescriptorCheck() {}

    static void check(TypeDescriptor type) {
        long id = type.id();
        require(!type.name().isEmpty(), id, "it has no name");
        Set<String> names = new HashSet<>();
        for (Field field : type.fields()) {
            require(!field.name().isEmpty(), id, "a field has no name");
            require(names.add(field.name()), id, "two fields have one name");
        }
        switch (type.kind()) {
            case ENUM -> checkNumbers(type);
            case SEALED -> {}
            default -> checkPlaces(type);
        }
    }

    private static void checkNumbers(TypeDescriptor type) {
        require(type.fields().size() <= Short.MAX_VALUE, type.id(), "it has too many constants");
        for (int i = 0; i < type.fields().size(); i++) {
            require(type.fields().get(i).offset() == i + 1, type.id(), "its numbers have gaps");
        }
    }

    /** Each field and each null bit lies inside, and no two in one place. */
    private static void checkPlaces(TypeDescriptor type) {
        long id = type.id();
        boolean isObject = type.kind() == Kind.OBJECT;
        require(!isObject || type.size() >= OBJECT_MIN, id, "its objects are too small");
        List<Field> ordered = new ArrayList<>(type.fields());
        ordered.sort(Comparator.comparingInt(Field::offset));
        long end = isObject ? FIELDS_AT : 0;
        for (Field field : ordered) {
            require(
                    field.offset() >= end && field.size() > 0,
                    id,
                    "field " + field.name() + " lies upon another");
            end = (long) field.offset() + field.size();
            require(end <= type.size(), id, "field " + field.name() + " ends behind its holder");
        }
        Set<Integer> bits = new HashSet<>();
        for (Field field : type.fields()) {
            int bit = field.nullBit();
            boolean isFree = bit >= end * Byte.SIZE && bit < (long) type.size() * Byte.SIZE;
            require(
                    bit == -1 || isFree && bits.add(bit),
                    id,
                    "the null bit of field " + field.name() + " lies upon something else");
        }
    }
}
