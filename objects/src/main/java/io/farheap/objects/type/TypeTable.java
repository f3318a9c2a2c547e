package io.farheap.objects.type;

import io.farheap.base.FarheapException;
import io.farheap.objects.transaction.HeapTransaction;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The type table in the pool: a chain of descriptors to which new ones are added at its head, and
 * none is ever removed. Ids go down by one along the chain, so a damaged one has no loop.
 */
public final class TypeTable {
    /** The most descriptors that a table may have. */
    static final int DESCRIPTORS_MAX = 1 << 16;

    private TypeTable() {}

    /**
     * All descriptors, the oldest first.
     *
     * @param root the pool's root object
     * @throws FarheapException BAD_DATA for a table that no program wrote
     */
    public static List<TypeDescriptor> read(HeapTransaction tx, long root) {
        return read(
                RootLayout.newestType(tx, root),
                (descriptor, offset, bytes) ->
                        tx.read(descriptor, offset, MemorySegment.ofArray(bytes), 0, bytes.length));
    }

    /** Where the bytes of descriptors come from. */
    interface Source {
        /**
         * @throws IndexOutOfBoundsException for what lies outside of the pool
         */
        void read(long descriptor, long offset, byte[] bytes);
    }

    /** As {@link #read(HeapTransaction, long)}, the newest one and all that it leads to. */
    static List<TypeDescriptor> read(long newest, Source source) {
        List<TypeDescriptor> types = new ArrayList<>();
        long next = newest;
        if (next == 0) {
            return types;
        }
        long id = idOf(source, next);
        while (next != 0) {
            ByteBuffer bytes =
                    ByteBuffer.wrap(bytes(source, next, id)).order(ByteOrder.LITTLE_ENDIAN);
            types.add(DescriptorLayout.decode(bytes.array(), id));
            next = bytes.getLong(DescriptorLayout.NEXT_AT);
            DescriptorLayout.require(
                    next == 0 == (id == TypeDescriptor.FIRST_ID),
                    id,
                    "the chain does not end where it began");
            id--;
        }
        Collections.reverse(types);
        checkVersions(types);
        return types;
    }

    private static ByteBuffer at(Source source, long descriptor, long offset, int length) {
        byte[] bytes = new byte[length];
        source.read(descriptor, offset, bytes);
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static long idOf(Source source, long descriptor) {
        long id =
                outsideIs(
                        descriptor,
                        0,
                        () -> at(source, descriptor, DescriptorLayout.ID_AT, Long.BYTES).getLong());
        DescriptorLayout.require(
                id >= TypeDescriptor.FIRST_ID && id - TypeDescriptor.FIRST_ID < DESCRIPTORS_MAX,
                id,
                "there are no types of that number");
        return id;
    }

    private static byte[] bytes(Source source, long descriptor, long id) {
        return outsideIs(
                descriptor,
                id,
                () -> {
                    int length =
                            at(source, descriptor, DescriptorLayout.BYTES_AT, Integer.BYTES)
                                    .getInt();
                    DescriptorLayout.require(
                            length >= DescriptorLayout.HEADER_BYTES
                                    && length <= DescriptorLayout.BYTES_MAX,
                            id,
                            "its length is impossible");
                    return at(source, descriptor, 0, length).array();
                });
    }

    /** What lies outside of the pool is damage of the table, and no fault of the program. */
    private static <T> T outsideIs(long descriptor, long id, Supplier<T> action) {
        try {
            return action.get();
        } catch (IndexOutOfBoundsException e) {
            throw DescriptorLayout.damaged(
                    id, String.format("it should lie at 0x%x, outside of the pool", descriptor));
        }
    }

    /** The versions of each name begin at 1 and have no gap, and are all of one kind. */
    private static void checkVersions(List<TypeDescriptor> types) {
        Map<String, TypeDescriptor> newest = new HashMap<>();
        for (TypeDescriptor type : types) {
            requireFollows(newest.put(type.name(), type), type);
        }
    }

    /**
     * @param before the version before it; null for none
     */
    static void requireFollows(TypeDescriptor before, TypeDescriptor type) {
        DescriptorLayout.require(
                type.version() == (before == null ? 1 : before.version() + 1),
                type.id(),
                "versions of " + type.name() + " are missing");
        DescriptorLayout.require(
                before == null || before.kind() == type.kind(),
                type.id(),
                type.name() + " was another kind of type before");
    }

    /**
     * Adds a descriptor; its id is the next one.
     *
     * @throws FarheapException BAD_DATA for one that could not be read
     */
    public static void append(HeapTransaction tx, long root, TypeDescriptor type) {
        if (type.number() >= DESCRIPTORS_MAX) {
            throw FarheapException.wrongUse(
                    "The type table has %d descriptors, which is its limit: dump the pool, and load"
                            + " it into a new one.",
                    DESCRIPTORS_MAX);
        }
        byte[] bytes = DescriptorLayout.encode(type, RootLayout.newestType(tx, root));
        var unused = DescriptorLayout.decode(bytes, type.id());
        long descriptor = tx.allocateOwn(bytes.length, RootLayout.TYPE_NUMBER);
        tx.write(descriptor, 0, MemorySegment.ofArray(bytes), 0, bytes.length);
        RootLayout.setNewestType(tx, root, descriptor);
    }
}
