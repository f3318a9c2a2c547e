package io.farheap.objects.value;

import io.farheap.base.FarheapException;
import java.util.Arrays;
import java.util.List;

/**
 * An enum in 2 bytes: the number of its constant in the type table, from 1 on; 0 is null. So
 * constants may change their order in the program, and new ones may come.
 */
public final class EnumType<E extends Enum<E>> extends BitsType<E> {
    private final String name;
    private final List<String> table;

    /** By number - 1; null for one that the program does not know. */
    private final E[] byNumber;

    /** By ordinal. */
    private final short[] numbers;

    /**
     * @param name of the type in the pool
     * @param table the names of its constants there, those of the program among them; the first
     *     one's number is 1
     */
    public EnumType(Class<E> type, String name, List<String> table) {
        super("enum " + name, Short.BYTES);
        this.name = name;
        this.table = List.copyOf(table);
        E[] ofProgram = type.getEnumConstants();
        this.byNumber = Arrays.copyOf(ofProgram, table.size());
        Arrays.fill(byNumber, null);
        this.numbers = new short[ofProgram.length];
        for (E constant : ofProgram) {
            int index = table.indexOf(constant.name());
            byNumber[index] = constant;
            numbers[constant.ordinal()] = (short) (index + 1);
        }
    }

    @Override
    E of(long bits) {
        if (bits == 0) {
            return null;
        }
        if (bits < 0 || bits > byNumber.length) {
            throw FarheapException.badData(
                    "A value of %s is constant %d, and the type table has %d.",
                    name, bits, byNumber.length);
        }
        E constant = byNumber[(int) bits - 1];
        if (constant == null) {
            throw FarheapException.badData(
                    "The pool holds %s.%s, a constant that this program does not have.",
                    name, table.get((int) bits - 1));
        }
        return constant;
    }

    @Override
    long bits(E value) {
        return value == null ? 0 : numbers[value.ordinal()];
    }

    @Override
    public int hash(E value) {
        return LongType.hashOf(value.name().hashCode());
    }

    @Override
    public boolean isNullable() {
        return true;
    }
}
