package io.farheap.objects.type;

import io.farheap.base.FarheapException;
import io.farheap.objects.collection.CollectionType;
import io.farheap.objects.value.ValueType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;

/** What type numbers of libpmemobj's stand for in a pool of typed objects. */
public final class TypeNames {
    private final Map<Long, String> objects = new HashMap<>();
    private final boolean isTyped;

    /**
     * Of a pool's bytes as they lie; nothing is recovered.
     *
     * @param rootOffset of the pool's root object; 0 for none
     * @param rootSize its bytes
     * @throws FarheapException BAD_DATA for a damaged type table
     */
    public TypeNames(MemorySegment image, long rootOffset, long rootSize) {
        long newest = 0;
        boolean isInside = rootOffset > 0 && rootOffset <= image.byteSize() - RootLayout.BYTES;
        if (isInside && rootSize >= RootLayout.BYTES) {
            newest =
                    RootLayout.newestType(
                            image.asSlice(rootOffset, RootLayout.BYTES)
                                    .asByteBuffer()
                                    .order(ByteOrder.LITTLE_ENDIAN));
        }
        this.isTyped = newest != 0;
        TypeTable.read(
                        newest,
                        (descriptor, offset, bytes) ->
                                MemorySegment.copy(
                                        image,
                                        ValueLayout.JAVA_BYTE,
                                        descriptor + offset,
                                        bytes,
                                        0,
                                        bytes.length))
                .forEach(type -> objects.put(type.id(), type.versionedName()));
    }

    /** Whether the pool is one of typed objects. */
    public boolean isTyped() {
        return isTyped;
    }

    /** The name; null for a number that tells nothing of typed objects. */
    public String of(long typeNumber) {
        if (!isTyped) {
            return null;
        }
        String name = objects.get(typeNumber);
        if (name != null) {
            return name;
        }
        if (typeNumber == RootLayout.TYPE_NUMBER) {
            return "type table";
        }
        return typeNumber == ValueType.BLOCKS ? "values" : CollectionType.nameOf(typeNumber);
    }
}
