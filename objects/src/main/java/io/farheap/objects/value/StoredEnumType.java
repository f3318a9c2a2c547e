package io.farheap.objects.value;

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
        return bits > 0 && bits <= names.size() ? names.get((int) bits - 1) : "#" + bits;
    }

    @Override
    long bits(String value) {
        return value == null ? 0 : names.indexOf(value) + 1;
    }

    @Override
    public boolean isNullable() {
        return true;
    }
}
