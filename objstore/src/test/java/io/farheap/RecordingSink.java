package io.farheap;

import io.farheap.base.CommitUnknownException;
import io.farheap.base.FarheapException;
import io.farheap.base.PoolPosition;
import io.farheap.base.ReplicaStatus;
import io.farheap.memory.PoolMemory;
import io.farheap.spi.RecordEntries;
import io.farheap.spi.RecordSource;
import io.farheap.spi.ReplicaSink;
import io.farheap.spi.SinkCounters;
import io.farheap.testing.CrashSimulation;
import io.farheap.ulog.CommittedView;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A replica that remembers: every record, every call in order; and fails when told to. */
final class RecordingSink implements ReplicaSink {
    /** One change of a record; {@code bytes} only for copies. */
    record Entry(char kind, long offset, long value, byte[] bytes) {
        void applyTo(PoolMemory memory) {
            switch (kind) {
                case 'S' -> memory.putLong(offset, value);
                case 'A' -> memory.putLong(offset, memory.getLong(offset) & value);
                case 'O' -> memory.putLong(offset, memory.getLong(offset) | value);
                default -> memory.copyIn(offset, MemorySegment.ofArray(bytes), 0, bytes.length);
            }
        }
    }

    final List<String> calls = new ArrayList<>();
    final List<List<Entry>> records = new ArrayList<>();
    long maxEntryBytes = 1 << 20;

    /** 0: as above. */
    long pieceEntryBytes;

    long imageBytes = Long.MAX_VALUE;

    /** What was said to be changed, after it was. */
    final List<List<Entry>> afterwards = new ArrayList<>();

    /** The pool as it is committed. */
    CommittedView committed;

    /** The name of a call that fails, once. */
    String failing = "";

    boolean refuses;
    boolean losesAnswers;

    /** The epoch ends while a record is waited for: it is claimed again, so often. */
    int epochsToEnd;

    Runnable whileWaiting = () -> {};
    Runnable beforeEachCall = () -> {};
    private final Set<Long> open = new HashSet<>();
    private int undoing;

    /** What the records set one word to, in order. */
    synchronized List<Long> sets(long offset) {
        return records.stream()
                .flatMap(List::stream)
                .filter(entry -> entry.kind() == 'S' && entry.offset() == offset)
                .map(Entry::value)
                .toList();
    }

    @Override
    public long imageBytes() {
        return imageBytes;
    }

    @Override
    public synchronized long maxEntryBytes() {
        return maxEntryBytes;
    }

    @Override
    public synchronized long pieceEntryBytes() {
        return pieceEntryBytes == 0 ? maxEntryBytes : pieceEntryBytes;
    }

    @Override
    public synchronized long append(long entryBytes, RecordSource source) {
        if (refuses) {
            throw new FarheapException(FarheapException.Category.REPLICA, "replica is missing");
        }
        if (entryBytes > maxEntryBytes) {
            throw new AssertionError("record of " + entryBytes + " bytes, most " + maxEntryBytes);
        }
        Collector collector = new Collector();
        source.writeTo(collector);
        if (collector.bytes != entryBytes) {
            throw new AssertionError("said " + entryBytes + ", wrote " + collector.bytes);
        }
        records.add(collector.entries);
        long ticket = records.size();
        open.add(ticket);
        note("append", ticket);
        return ticket;
    }

    @Override
    public long awaitDurable(long ticket, long entryBytes, RecordSource source) {
        whileWaiting.run();
        long again;
        synchronized (this) {
            note("await", ticket);
            if (losesAnswers) {
                throw new CommitUnknownException("host pool.set", "no answer from host", null);
            }
            if (epochsToEnd == 0) {
                return ticket;
            }
            epochsToEnd--;
            again = claimAgain(ticket, entryBytes, source);
        }
        return awaitDurable(again, entryBytes, source);
    }

    /** Nobody has what was sent under the first ticket. */
    private long claimAgain(long ticket, long entryBytes, RecordSource source) {
        open.remove(ticket);
        List<Entry> dropped = records.get((int) ticket - 1);
        records.set((int) ticket - 1, List.of());
        long again = append(entryBytes, source);
        if (!sameEntries(dropped, records.get((int) again - 1))) {
            throw new AssertionError("the record changed while it was waited for");
        }
        return again;
    }

    private static boolean sameEntries(List<Entry> one, List<Entry> other) {
        boolean same = one.size() == other.size();
        for (int i = 0; same && i < one.size(); i++) {
            Entry a = one.get(i);
            Entry b = other.get(i);
            same =
                    a.kind() == b.kind()
                            && a.offset() == b.offset()
                            && a.value() == b.value()
                            && Arrays.equals(a.bytes(), b.bytes());
        }
        return same;
    }

    @Override
    public synchronized void committed(long ticket, RecordSource source) {
        decide("committed", ticket);
        afterwards.add(entries(source));
    }

    @Override
    public synchronized void undoing() {
        undoing++;
    }

    @Override
    public synchronized void undone(RecordSource source) {
        fail("undone");
        afterwards.add(entries(source));
        undoing--;
    }

    @Override
    public synchronized void undoFailed() {
        undoing--;
    }

    private static List<Entry> entries(RecordSource source) {
        Collector collector = new Collector();
        source.writeTo(collector);
        return collector.entries;
    }

    @Override
    public synchronized void rolledBack(long ticket) {
        decide("rolledBack", ticket);
    }

    @Override
    public synchronized void broken(long ticket) {
        decide("broken", ticket);
    }

    private void note(String what, long ticket) {
        beforeEachCall.run();
        fail(what);
        calls.add(what + " " + ticket);
    }

    private void fail(String call) {
        if (call.equals(failing)) {
            failing = "";
            throw new StackOverflowError(call);
        }
    }

    private void decide(String how, long ticket) {
        note(how, ticket);
        if (!open.remove(ticket)) {
            throw new AssertionError(how + " of a ticket that is not open: " + ticket);
        }
    }

    @Override
    public List<ReplicaStatus> replicas() {
        return List.of();
    }

    @Override
    public PoolPosition position() {
        return new PoolPosition(0, 0);
    }

    @Override
    public SinkCounters counters() {
        return SinkCounters.NONE;
    }

    @Override
    public synchronized void close() {
        if (!open.isEmpty()) {
            throw new AssertionError("never decided: " + open);
        }
        if (undoing != 0) {
            throw new AssertionError("roll-backs that never ended: " + undoing);
        }
        calls.add("close");
    }

    /** The first {@code count} records applied to {@code base}, as a machine of its own. */
    CrashSimulation replica(MemorySegment base, int count) {
        CrashSimulation replica = new CrashSimulation(base);
        for (List<Entry> record : records.subList(0, count)) {
            record.forEach(entry -> entry.applyTo(replica.memory()));
        }
        return replica;
    }

    private static final class Collector implements RecordEntries {
        private final List<Entry> entries = new ArrayList<>();
        private long bytes;

        @Override
        public void set(long offset, long value) {
            word('S', offset, value);
        }

        @Override
        public void and(long offset, long mask) {
            word('A', offset, mask);
        }

        @Override
        public void or(long offset, long mask) {
            word('O', offset, mask);
        }

        private void word(char kind, long offset, long value) {
            entries.add(new Entry(kind, offset, value, null));
            bytes += RecordEntries.WORD_ENTRY_BYTES;
        }

        @Override
        public void copy(long offset, MemorySegment source, long sourceOffset, long length) {
            byte[] copied = source.asSlice(sourceOffset, length).toArray(ValueLayout.JAVA_BYTE);
            entries.add(new Entry('C', offset, 0, copied));
            bytes += RecordEntries.copyEntryBytes(length);
        }
    }
}
