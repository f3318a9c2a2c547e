package io.farheap.objects.type;

import io.farheap.base.FarheapException;
import io.farheap.objects.transaction.HeapTransaction;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * The root object of a pool of typed objects.
 *
 * <pre>
 *    0  "FHTYPES1"
 *    8  version of the format, 4 B: 1     12  0, 4 B
 *       0 while a dump is loaded into the pool
 *   16  image offset of the newest type descriptor, 8 B; 0: none yet
 *   24  not read: 0, or how often earlier releases' reclaim has looked at the heap, 8 B
 *   32  the program's root object: PMEMoid, 16 B
 *   48  0, 16 B
 * </pre>
 */
public final class RootLayout {
    public static final int BYTES = 64;

    /** The layout name of pools of typed objects. */
    public static final String LAYOUT = "farheap-objects";

    /** Of the root object and of type descriptors. */
    public static final long TYPE_NUMBER = 0x4648_00F0L;

    /** The upper half of the type numbers of what typed objects own. */
    private static final long OWNED = 0x4648;

    private static final String NAME = "FHTYPES1";
    private static final long MAGIC =
            ByteBuffer.wrap(NAME.getBytes(StandardCharsets.US_ASCII))
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .getLong();
    private static final int VERSION = 1;
    private static final int BEING_LOADED = 0;

    private static final int MAGIC_AT = 0;
    private static final int VERSION_AT = 8;
    private static final int NEWEST_TYPE_AT = 16;
    private static final int ROOT_AT = 32;

    private RootLayout() {}

    /** Fills a root object that is all 0: nobody has used the pool before. */
    public static void formatFresh(HeapTransaction tx, long root, long size) {
        for (int at = 0; at < BYTES; at += Long.BYTES) {
            if (size < BYTES || tx.getLong(root, at) != 0) {
                return;
            }
        }
        tx.setLong(root, MAGIC_AT, MAGIC);
        tx.setInt(root, VERSION_AT, VERSION);
    }

    /** Fills the root object of a new pool, which is no heap before {@link #endLoad}. */
    public static void beginLoad(HeapTransaction tx, long root) {
        tx.setLong(root, MAGIC_AT, MAGIC);
        tx.setInt(root, VERSION_AT, BEING_LOADED);
    }

    public static void endLoad(HeapTransaction tx, long root) {
        tx.setInt(root, VERSION_AT, VERSION);
    }

    /**
     * Whether a pool is to become a heap, as far as its root object tells: nobody has used it yet,
     * a dump is being loaded into it, or it has no root object of a program yet.
     */
    public static boolean isToCome(HeapTransaction tx, long root) {
        if (root == 0) {
            return true;
        }
        long magic = tx.getLong(root, MAGIC_AT);
        return magic == 0
                || magic == MAGIC
                        && (tx.getInt(root, VERSION_AT) == BEING_LOADED
                                || programRoot(tx, root) == 0);
    }

    /** Whether these are the bytes of a root object that {@link #endLoad} was not called for. */
    public static boolean isBeingLoaded(ByteBuffer root) {
        return root.getLong(MAGIC_AT) == MAGIC && root.getInt(VERSION_AT) == BEING_LOADED;
    }

    /** Whether a root object, of {@code size} bytes, is that of typed objects. */
    public static boolean isTyped(HeapTransaction tx, long root, long size) {
        return root != 0 && size >= BYTES && tx.getLong(root, MAGIC_AT) == MAGIC;
    }

    /**
     * Refuses any other root object.
     *
     * @param size bytes of the root object
     * @throws FarheapException BAD_DATA
     */
    public static void check(HeapTransaction tx, long root, long size) {
        if (!isTyped(tx, root, size)) {
            throw FarheapException.badData(
                    "The pool's root object is not one of typed objects (%s): another program uses"
                            + " this pool. Open it with ObjectPool, or choose another one.",
                    NAME);
        }
        int version = tx.getInt(root, VERSION_AT);
        if (version == BEING_LOADED) {
            throw FarheapException.badData(
                    "A dump was loaded into this pool and did not come to its end: remove the pool"
                            + " (farheap rm), and load the dump again.");
        }
        if (version != VERSION) {
            throw FarheapException.badData(
                    "The pool's typed objects have format version %d, and this release reads %d:"
                            + " use the release that wrote it.",
                    version, VERSION);
        }
    }

    /** The newest type descriptor as the bytes of a pool's root object have it; 0 for none. */
    static long newestType(ByteBuffer root) {
        boolean isTyped = root.capacity() >= BYTES && root.getLong(MAGIC_AT) == MAGIC;
        return isTyped ? root.getLong(NEWEST_TYPE_AT) : 0;
    }

    /** The newest type descriptor; 0 for none. */
    public static long newestType(HeapTransaction tx, long root) {
        return tx.getLong(root, NEWEST_TYPE_AT);
    }

    static void setNewestType(HeapTransaction tx, long root, long descriptor) {
        tx.setLong(root, NEWEST_TYPE_AT, descriptor);
    }

    /** Whether what has a type number belongs to typed objects, and comes and goes with them. */
    static boolean isReclaimable(long typeNumber) {
        return typeNumber >= TypeDescriptor.FIRST_ID
                || typeNumber >>> 16 == OWNED && typeNumber != TYPE_NUMBER;
    }

    /** The program's root object; 0 for none yet. */
    public static long programRoot(HeapTransaction tx, long root) {
        return tx.getLong(root, ROOT_AT + Long.BYTES);
    }

    public static void setProgramRoot(HeapTransaction tx, long root, long poolId, long object) {
        tx.setLong(root, ROOT_AT, poolId);
        tx.setLong(root, ROOT_AT + Long.BYTES, object);
    }
}
