package io.farheap.replication;

import io.farheap.base.FarheapException;
import io.farheap.base.ReplicaPolicy;
import io.farheap.layout.PoolHeader;
import io.farheap.poolset.RemoteReplica;
import io.farheap.spi.RecordEntries;
import io.farheap.spi.RecordSource;
import io.farheap.spi.ReplicaSink;
import io.farheap.spi.ReplicatedPool;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A local pool: an image and a number, whose every value is kept. */
public final class FakePool implements ReplicatedPool {
    public final MemorySegment image;
    public final List<Long> numbers = new ArrayList<>();
    private List<RemoteReplica> remotes;
    private long runId = 2;

    /** What open transactions stored over, by place. */
    public final Map<Long, Long> undo = new ConcurrentHashMap<>();

    /** Ranges read to be copied. */
    public final AtomicInteger reads = new AtomicInteger();

    public volatile Runnable beforeOverlay = () -> {};
    public volatile Runnable afterRead = () -> {};
    public final Map<RemoteReplica, ReplicaPolicy> policies = new HashMap<>();
    public Path sideFiles = Path.of("/pools/part0");
    private Runnable beforeSwitch = () -> {};
    private Runnable afterSwitch = () -> {};

    public FakePool(List<RemoteReplica> remotes, long imageBytes, long seed) {
        this.remotes = remotes;
        this.image = Arena.ofAuto().allocate(imageBytes, 64);
        byte[] content = new byte[(int) imageBytes];
        new SplittableRandom(seed).nextBytes(content);
        MemorySegment.copy(MemorySegment.ofArray(content), 0, image, 0, imageBytes);
        numbers.add(runId);
    }

    /** What its poolset file names from the next opening on. */
    public void rename(List<RemoteReplica> named) {
        remotes = named;
    }

    public long word(long place) {
        return image.get(ValueLayout.JAVA_LONG, place);
    }

    /** A commit as a pool makes it, of one word. */
    public void commit(ReplicaSink to, long place, long value) {
        long old = word(place);
        RecordSource record = e -> e.set(place, value);
        long ticket = to.append(RecordEntries.WORD_ENTRY_BYTES, record);
        image.set(ValueLayout.JAVA_LONG, place, value);
        try {
            ticket = to.awaitDurable(ticket, RecordEntries.WORD_ENTRY_BYTES, record);
        } catch (FarheapException e) {
            image.set(ValueLayout.JAVA_LONG, place, old);
            to.rolledBack(ticket);
            throw e;
        }
        to.committed(ticket, record);
    }

    public void crashAround(Runnable before, Runnable after) {
        beforeSwitch = before;
        afterSwitch = after;
    }

    @Override
    public Path poolsetFile() {
        return Path.of("/pools/bank.set");
    }

    @Override
    public List<RemoteReplica> remotes() {
        return remotes;
    }

    @Override
    public ReplicaPolicy policy(RemoteReplica replica) {
        return policies.get(replica);
    }

    @Override
    public Path sideFiles() {
        return sideFiles;
    }

    @Override
    public int mode() {
        return 0600;
    }

    @Override
    public MemorySegment headerTemplate() {
        MemorySegment header = Arena.ofAuto().allocate(PoolHeader.SIZE);
        header.asSlice(24, 16).fill((byte) 0x5a);
        return header;
    }

    @Override
    public String layout() {
        return "bank";
    }

    @Override
    public MemorySegment image() {
        return image.asReadOnly();
    }

    @Override
    public void readCommitted(long offset, MemorySegment target, long length) {
        reads.incrementAndGet();
        MemorySegment.copy(image, offset, target, 0, length);
        beforeOverlay.run();
        undo.forEach(
                (place, old) -> {
                    if (place >= offset && place + 8 <= offset + length) {
                        target.set(ValueLayout.JAVA_LONG_UNALIGNED, place - offset, old);
                    }
                });
        afterRead.run();
    }

    @Override
    public long runId() {
        return runId;
    }

    @Override
    public void switchRunId(long next) {
        beforeSwitch.run();
        runId = next;
        numbers.add(next);
        afterSwitch.run();
    }
}
