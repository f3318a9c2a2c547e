package io.farheap.replication.session;

import io.farheap.base.FarheapException;
import io.farheap.replication.control.ByteRange;
import io.farheap.replication.control.SlotReport;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A remote replica that is compared with other copies: nobody else has it as long as this is open,
 * so it stands still. For one thread.
 */
public final class ComparedReplica implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ComparedReplica.class);

    /** An agent's end is seen on the data connection first, and its reason on the other. */
    private static final Duration SECOND_REPORT = Duration.ofSeconds(1);

    private final ReplicaSession member;

    public ComparedReplica(ReplicaSession member) {
        this.member = member;
    }

    /** How it was found: what an inspection would say. */
    public ReplicaReport report() {
        return ReplicaReport.of(member.verdict());
    }

    /** What is durable about it. */
    public SlotReport slot() {
        return member.verdict().slot();
    }

    public long imageSize() {
        return member.verdict().imageSize();
    }

    /**
     * What records that it has, and has not applied, will change; ascending and disjoint. The next
     * opening of the pool settles them: until then it may differ there.
     */
    public List<ByteRange> notApplied() {
        return member.verdict().slot().tailRecords() == 0
                ? List.of()
                : orLost(() -> member.image().footprint(imageSize()));
    }

    /**
     * CRC32C of each {@code chunk} bytes of {@code length} bytes at {@code from}; the last less.
     *
     * @param chunk at least 64
     * @throws FarheapException category REPLICA when it can't be read any more; names it and says
     *     why its agent was lost, where that is the reason
     */
    public int[] sums(long from, long length, long chunk) {
        return orLost(() -> member.images().sums(from, length, chunk));
    }

    private <T> T orLost(Supplier<T> reading) {
        try {
            return reading.get();
        } catch (FarheapException e) {
            FarheapException lost = member.control().failureWithin(SECOND_REPORT);
            FarheapException why = lost == null ? e : lost;
            String name = "replica " + member.replica();
            String message = why.getMessage();
            throw new FarheapException(
                    why.category(), message.startsWith(name) ? message : name + ": " + message, e);
        }
    }

    /** Bytes that went over the data connection, framing included. */
    long bytesSent() {
        return member.bytesSent();
    }

    /**
     * Lets the replica go. Nothing was changed, so it does not matter whether its agent answers.
     */
    @Override
    public void close() {
        try {
            member.close();
        } catch (FarheapException e) {
            LOG.debug("let go of after it was compared: {}", e.getMessage());
        }
    }
}
