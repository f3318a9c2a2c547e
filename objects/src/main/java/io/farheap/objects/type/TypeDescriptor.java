package io.farheap.objects.type;

import java.util.List;

/**
 * What the type table says of one version of one type.
 *
 * @param id also libpmemobj's type number of objects of this type
 * @param version of the name: 1, 2, and so on
 * @param name of the type in the pool
 * @param javaName of the class that the program had for it: where to look for one
 * @param superTypes names of the types that it may stand for
 * @param size bytes of an object, or of a record's image
 * @param alignment of a record's image
 * @param fields in the order of declaration; of an enum its constants, {@link Field#offset} their
 *     numbers; of a sealed interface the names of its records
 */
public record TypeDescriptor(
        long id,
        Kind kind,
        int version,
        String name,
        String javaName,
        List<String> superTypes,
        int size,
        int alignment,
        List<Field> fields) {
    /** The first type id; libpmemobj's numbers below are everybody's. */
    public static final long FIRST_ID = 1L << 32;

    /** The kinds of types; the table has their numbers from 1 on. */
    public enum Kind {
        OBJECT,
        RECORD,
        ENUM,
        SEALED
    }

    /**
     * @param type its text (docs/format.md)
     * @param offset in bytes from the start of the object or image
     * @param nullBit which bit from there is set while it is not null; -1 for none
     * @param isRequired whether a program that does not know it must not write
     */
    public record Field(
            String name, String type, int offset, int size, int nullBit, boolean isRequired) {}

    public TypeDescriptor {
        superTypes = List.copyOf(superTypes);
        fields = List.copyOf(fields);
    }

    /** Its number in values: ids from 0 on. */
    public int number() {
        return (int) (id - FIRST_ID);
    }

    /** Its name and version, as in {@code Account#2}. */
    public String versionedName() {
        return name + "#" + version;
    }

    /** The field of that name; null for none. */
    public Field field(String fieldName) {
        for (Field field : fields) {
            if (field.name().equals(fieldName)) {
                return field;
            }
        }
        return null;
    }

    /**
     * Whether this, a stored one, describes all that another does, apart from id and version: it
     * may stand for more types.
     */
    boolean isSameAs(TypeDescriptor other) {
        return kind == other.kind
                && name.equals(other.name)
                && superTypes.containsAll(other.superTypes)
                && fields.size() == other.fields.size()
                && fields.stream().allMatch(field -> isSame(field, other.field(field.name())));
    }

    private static boolean isSame(Field one, Field other) {
        return other != null
                && one.type().equals(other.type())
                && one.nullBit() < 0 == other.nullBit() < 0
                && one.isRequired() == other.isRequired();
    }
}
