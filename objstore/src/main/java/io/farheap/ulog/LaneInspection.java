package io.farheap.ulog;

import io.farheap.base.FarheapException;
import io.farheap.layout.LaneLayout;
import io.farheap.layout.LogLayout;
import io.farheap.memory.PoolMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Looks at the logs of a pool without changing anything: what recovery would find. */
public final class LaneInspection {
    private final LaneArea lanes;
    private final PoolMemory memory;
    private final LaneRecovery recovery;
    private final LogReader reader;

    public LaneInspection(LaneArea lanes) {
        this.lanes = lanes;
        this.memory = lanes.memory();
        recovery = new LaneRecovery(lanes);
        reader = new LogReader(lanes, new LogChecksums());
    }

    /**
     * The logs that were used and are not as a new pool has them, lane by lane.
     *
     * @throws io.farheap.base.FarheapException BAD_DATA when a log is damaged, as {@link
     *     LaneRecovery}
     */
    public List<LogState> notFresh() {
        List<LogState> found = new ArrayList<>();
        for (int i = 0; i < lanes.count(); i++) {
            logs(i).stream().filter(log -> !log.isFresh()).forEach(found::add);
        }
        return found;
    }

    /**
     * Whether some log holds entries for recovery to apply, or a buffer that a program has lent to
     * it; damaged ones are left out.
     */
    public boolean anyPending() {
        return IntStream.range(0, lanes.count())
                .anyMatch(lane -> !isDamaged(lane) && (isPending(lane) || hasLentBuffers(lane)));
    }

    private boolean isPending(int lane) {
        return logs(lane).stream().anyMatch(LogState::needsRecovery);
    }

    private boolean hasLentBuffers(int lane) {
        LogChain redo = Lane.externalChain(lanes, lane, null, null);
        LogChain undo = Lane.undoChain(lanes, lane, null, null);
        return redo.ownLogs() < redo.logs() || undo.ownLogs() < undo.logs();
    }

    /** Whether recovery would refuse some log. */
    public boolean anyDamaged() {
        return IntStream.range(0, lanes.count()).anyMatch(this::isDamaged);
    }

    private boolean isDamaged(int lane) {
        try {
            logs(lane);
            return false;
        } catch (FarheapException e) {
            return true;
        }
    }

    /**
     * The three logs of a lane.
     *
     * @throws io.farheap.base.FarheapException BAD_DATA when one is damaged, as {@link
     *     LaneRecovery}
     */
    public List<LogState> logs(int lane) {
        LogChain internal = Lane.internalChain(lanes, lane);
        LogChain external = Lane.externalChain(lanes, lane, null, null);
        LogChain undo = Lane.undoChain(lanes, lane, null, null);
        return List.of(
                redo(LogState.Kind.INTERNAL, lane, internal, LaneLayout.INTERNAL_REDO_CAPACITY),
                redo(LogState.Kind.EXTERNAL, lane, external, LaneLayout.EXTERNAL_REDO_CAPACITY),
                state(LogState.Kind.UNDO, lane, undo, entries(reader.undo(undo))));
    }

    private LogState redo(LogState.Kind kind, int lane, LogChain chain, long capacity) {
        boolean stored = recovery.isStored(chain.header(0), capacity);
        return state(kind, lane, chain, stored ? entries(reader.redo(chain)) : List.of());
    }

    private LogState state(
            LogState.Kind kind, int lane, LogChain chain, List<LogState.Entry> entries) {
        long header = chain.header(0);
        List<Long> extensions = new ArrayList<>();
        for (int i = 1; i < chain.logs(); i++) {
            extensions.add(chain.object(i));
        }
        return new LogState(
                kind,
                lane,
                header,
                memory.getLong(header + LogLayout.CHECKSUM),
                memory.getLong(header + LogLayout.CAPACITY),
                memory.getLong(header + LogLayout.GEN_NUM),
                memory.getLong(header + LogLayout.FLAGS),
                List.copyOf(extensions),
                entries);
    }

    private static List<LogState.Entry> entries(LogReader reader) {
        List<LogState.Entry> entries = new ArrayList<>();
        while (reader.next()) {
            boolean word = reader.operation() <= LogLayout.OR;
            entries.add(
                    new LogState.Entry(
                            name(reader.operation()),
                            reader.target(),
                            reader.length(),
                            word ? reader.value() : 0));
        }
        return List.copyOf(entries);
    }

    private static String name(int operation) {
        return switch (operation) {
            case LogLayout.SET -> "SET";
            case LogLayout.AND -> "AND";
            case LogLayout.OR -> "OR";
            case LogLayout.BUFFER_SET -> "BUF_SET";
            default -> "BUF_CPY";
        };
    }
}
