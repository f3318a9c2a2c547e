package io.farheap.it.sync;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.engine.ClassPathReplicas;
import io.farheap.spi.ReplicaSinkProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A list of numbered notes in a pool, one transaction each, and the program that adds to it. */
final class Notes {
    static final String LAYOUT = "notes";

    private static final int TYPE = 1;
    private static final int ROOT_BYTES = 24;
    private static final int HEAD = 0;
    private static final int COUNT = 16;
    private static final int NEXT = 0;
    private static final int NUMBER = 16;
    private static final int NOTE_BYTES = 24;

    private final ObjectPool pool;
    private final Ref root;

    private Notes(ObjectPool pool) {
        this.pool = pool;
        this.root = pool.root(ROOT_BYTES);
    }

    /**
     * {@code SET COUNT [hold]}: adds so many notes, prints the number of each when it is durable,
     * and with "hold" keeps the pool open until standard input ends.
     */
    public static void main(String[] args) throws IOException {
        try (ObjectPool pool = ObjectPool.openOrCreate(Path.of(args[0]), LAYOUT)) {
            Notes notes = new Notes(pool);
            for (int i = 0; i < Integer.parseInt(args[1]); i++) {
                System.out.println(notes.add());
            }
            if (args.length > 2) {
                int unused = System.in.read();
            }
        }
    }

    private long add() {
        return pool.compute(
                tx -> {
                    long number = tx.getLong(root, COUNT) + 1;
                    // Some of another size, so that the heap is set up anew now and then.
                    Ref note = tx.allocate(NOTE_BYTES + number % 50 * 100, TYPE);
                    tx.setRef(note, NEXT, tx.getRef(root, HEAD));
                    tx.setLong(note, NUMBER, number);
                    tx.setRef(root, HEAD, note);
                    tx.setLong(root, COUNT, number);
                    return number;
                });
    }

    /** Opens the pool as a program does, and reads all notes, the last one first. */
    static List<Long> in(Path set, ReplicaSinkProvider replicas) {
        try (ObjectPool pool =
                ClassPathReplicas.replacedBy(replicas, () -> ObjectPool.open(set, LAYOUT))) {
            Notes notes = new Notes(pool);
            List<Long> numbers = new ArrayList<>();
            for (Ref note = pool.getRef(notes.root, HEAD); !note.isNull(); ) {
                numbers.add(pool.getLong(note, NUMBER));
                note = pool.getRef(note, NEXT);
            }
            return numbers;
        }
    }
}
