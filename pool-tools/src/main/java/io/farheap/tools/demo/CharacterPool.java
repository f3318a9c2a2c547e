package io.farheap.tools.demo;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.tools.demo.UnicodeCharacters.Entry;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Characters in a pool: a list that grows at its head, one transaction per column of the code
 * charts. The root counts, so that a half transaction would show.
 *
 * <pre>
 * root                              record
 *   0  head of the list   16          0  next record       16
 *  16  records             8         16  code point         4
 *  24  columns             8         20  column             4
 *                                    24  block, name: length-prefixed UTF-8
 * </pre>
 */
final class CharacterPool {
    static final String LAYOUT = "unicode";

    private static final int RECORD_TYPE = 1;
    private static final int ROOT_BYTES = 32;
    private static final int HEAD = 0;
    private static final int RECORDS = 16;
    private static final int COLUMNS = 24;
    private static final int NEXT = 0;
    private static final int CODE_POINT = 16;
    private static final int COLUMN = 20;
    private static final int TEXT = 24;
    private static final int LENGTH_BYTES = 2;

    private final ObjectPool pool;
    private final Ref root;

    CharacterPool(ObjectPool pool) {
        this.pool = pool;
        this.root = pool.root(ROOT_BYTES);
    }

    /**
     * A record as it was found.
     *
     * @param column the transaction that wrote it
     * @param entry what it says
     */
    record Found(int column, Entry entry) {}

    /** How many columns were loaded, as the root says. */
    long columns() {
        return pool.getLong(root, COLUMNS);
    }

    /** How many records there are, as the root says. */
    long records() {
        return pool.getLong(root, RECORDS);
    }

    /** How many record objects the heap has, in the list or not. */
    long allocatedRecords() {
        long count = 0;
        for (Ref unused : pool.objects(RECORD_TYPE)) {
            count++;
        }
        return count;
    }

    /** Adds the next column in one transaction; durable, here and on the replica, on return. */
    void add(List<Entry> column) {
        pool.transaction(
                tx -> {
                    long number = tx.getLong(root, COLUMNS);
                    Ref head = tx.getRef(root, HEAD);
                    for (Entry entry : column) {
                        Ref record = tx.allocate(TEXT + textBytes(entry), RECORD_TYPE);
                        tx.setRef(record, NEXT, head);
                        tx.setInt(record, CODE_POINT, entry.codePoint());
                        tx.setInt(record, COLUMN, (int) number);
                        tx.write(
                                record,
                                TEXT,
                                bytes -> {
                                    bytes.writeUtf8(entry.block());
                                    bytes.writeUtf8(entry.name());
                                });
                        head = record;
                    }
                    tx.setRef(root, HEAD, head);
                    tx.setLong(root, RECORDS, tx.getLong(root, RECORDS) + column.size());
                    tx.setLong(root, COLUMNS, number + 1);
                });
    }

    private static long textBytes(Entry entry) {
        return 2L * LENGTH_BYTES
                + entry.block().getBytes(StandardCharsets.UTF_8).length
                + entry.name().getBytes(StandardCharsets.UTF_8).length;
    }

    /** Every record of the list, the first loaded first. */
    List<Found> all() {
        List<Found> found = new ArrayList<>();
        long limit = records();
        for (Ref r = pool.getRef(root, HEAD); !r.isNull() && found.size() <= limit; ) {
            Ref record = r;
            String[] texts =
                    pool.read(
                            record,
                            TEXT,
                            pool.usableSize(record) - TEXT,
                            bytes -> new String[] {bytes.readUtf8(), bytes.readUtf8()});
            Entry entry = new Entry(pool.getInt(record, CODE_POINT), texts[0], texts[1]);
            found.add(new Found(pool.getInt(record, COLUMN), entry));
            r = pool.getRef(record, NEXT);
        }
        return found.reversed();
    }
}
