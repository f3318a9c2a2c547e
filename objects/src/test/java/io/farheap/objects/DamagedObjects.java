package io.farheap.objects;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.fuzz.Give;
import io.farheap.fuzz.Take;
import io.farheap.objects.transaction.HeapTransactions;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Objects of an open pool whose bytes a fuzz test's input changes, and which are mended again. */
final class DamagedObjects {
    private static final long[] ODD = {
        0, 1, -1, 31, 1L << 31, 1L << 47, Long.MAX_VALUE, Long.MIN_VALUE
    };

    /** So many words of an object are all seeds', and about as many of what follows. */
    private static final int HEAD = 12;

    private final HeapTransactions writer;
    private final List<Ref> victims;
    private final List<byte[]> good = new ArrayList<>();

    /** What an edit of the input does, by its first octet. */
    private enum Edit {
        /** Writes bytes anywhere. */
        BYTES,
        /** Writes a number to a word. */
        NUMBER,
        /** Has a word name another object. */
        REFERENCE
    }

    DamagedObjects(ObjectPool pool, List<Ref> victims) {
        this.writer = new HeapTransactions(pool);
        this.victims = victims;
        for (Ref victim : victims) {
            long size = victim.equals(pool.root()) ? pool.rootSize() : pool.usableSize(victim);
            good.add(pool.readBytes(victim, 0, (int) size));
        }
    }

    /** Words of each object with each odd number, and naming itself and others. */
    Stream<byte[]> seeds() {
        List<byte[]> seeds = new ArrayList<>();
        for (int victim = 0; victim < victims.size(); victim++) {
            int words = good.get(victim).length / Long.BYTES;
            for (int word = 0; word < words; word += word < HEAD ? 1 : 1 + words / HEAD) {
                for (long number : ODD) {
                    seeds.add(edit(Edit.NUMBER, victim, word).number(number).toBytes());
                }
                for (int other : new int[] {victim, victim + 1, 0}) {
                    seeds.add(edit(Edit.REFERENCE, victim, word).small(other).toBytes());
                }
                seeds.add(
                        edit(Edit.BYTES, victim, word * Long.BYTES + 3)
                                .octet(1)
                                .octet(0x40)
                                .toBytes());
            }
        }
        return seeds.stream();
    }

    private static Give edit(Edit kind, int victim, int at) {
        return new Give().octet(kind.ordinal()).small(victim).small(at);
    }

    /** Makes all edits of an input. */
    void damage(Take from) {
        while (!from.isEmpty()) {
            Edit kind = Edit.values()[from.octet() % Edit.values().length];
            int victim = from.small() % victims.size();
            int size = good.get(victim).length;
            int at = from.small();
            switch (kind) {
                case BYTES -> write(victim, at % size, from.bytes(from.octet()));
                case NUMBER -> write(victim, word(at, size), number(from.number()));
                case REFERENCE -> {
                    Ref other = victims.get(from.small() % victims.size());
                    write(victim, word(at, size), number(other.offset()));
                }
            }
        }
    }

    private static int word(int at, int size) {
        return at % (size / Long.BYTES) * Long.BYTES;
    }

    private static byte[] number(long value) {
        return new Give().number(value).toBytes();
    }

    /** Gives all their own bytes again. */
    void mend() {
        for (int i = 0; i < victims.size(); i++) {
            write(i, 0, good.get(i));
        }
    }

    /** Below what checks: the pool refuses such writes while the heap is open. */
    private void write(int victim, int at, byte[] bytes) {
        int length = Math.min(bytes.length, good.get(victim).length - at);
        writer.transaction(
                tx -> {
                    tx.write(
                            victims.get(victim).offset(),
                            at,
                            MemorySegment.ofArray(bytes),
                            0,
                            length);
                    return null;
                });
    }
}
