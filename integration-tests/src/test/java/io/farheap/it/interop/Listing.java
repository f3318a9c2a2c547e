package io.farheap.it.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;

/** All that a program sees of a pool; the same whichever library it asks. */
record Listing(long rootOffset, long rootSize, int rootCrc, List<Item> objects) {

    /** One object; its checksum is over all usable bytes. */
    record Item(long offset, long type, long usable, int crc) {}

    /** Opens the pool here, which recovers it, and closes it. */
    static Listing here(Path poolFile) {
        try (ObjectPool pool = ObjectPool.open(poolFile, null)) {
            return of(pool);
        }
    }

    static Listing of(ObjectPool pool) {
        List<Item> items = new ArrayList<>();
        for (Ref object : pool.objects()) {
            items.add(
                    new Item(
                            object.offset(),
                            pool.typeNumber(object),
                            pool.usableSize(object),
                            crc(pool.segment(object))));
        }
        Ref root = pool.root();
        int rootCrc = root.isNull() ? 0 : crc(pool.segment(root).asSlice(0, pool.rootSize()));
        return new Listing(root.offset(), pool.rootSize(), rootCrc, items);
    }

    private static int crc(MemorySegment bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes.asByteBuffer());
        return (int) crc.getValue();
    }

    static List<Ref> refs(Iterable<Ref> objects) {
        List<Ref> refs = new ArrayList<>();
        objects.forEach(refs::add);
        return refs;
    }

    /**
     * Every object keeps the rule of {@link RandomWorkload}, but those of {@link Links}: none is
     * half of a transaction.
     */
    static void assertEveryObjectIsWhole(ObjectPool pool, String where) {
        for (Ref object : pool.objects()) {
            if (pool.typeNumber(object) >= Links.MEMBER) {
                continue;
            }
            byte[] bytes = pool.readBytes(object, 0, Math.toIntExact(pool.usableSize(object)));
            assertThat(RandomWorkload.isWhole(bytes)).as("%s, %s", object, where).isTrue();
        }
    }
}
