package io.farheap.objects.value;

import io.farheap.base.FarheapException;
import java.util.List;

/** An enum of the pool whose class nobody needs: its constants are their names. */
public final class StoredEnumType extends BitsType<String> {
    private final List<String> names;

    /**
     * @param name of the type in the pool
     * @param names of its constants, the first one's number is 1
     */
    public StoredEnumType(String name, List<String> names) {
        super("enum " + name, Short.BYTES);
        this.names = List.copyOf(names);
    }

    @Override
    String of(long bits) {
        if (bits == 0) {
            return null;
        }
        if (bits < 0 || bits > names.size()) {
            throw FarheapException.badData(
                    "A value of type %s is constant %d, and the type table has %d.",
                    text(), bits, names.size());
        }
        return names.get((int) bits - 1);
    }

    @Override
    long bits(String value) {
        return value == null ? 0 : names.indexOf(value) + 1;
    }

    /** As of {@link EnumType}. */
    @Override
    public int hash(String value) {
        return LongType.hashOf(value.hashCode());
    }

    @Override
    public boolean isNullable() {
        return true;
    }
}
