package io.farheap.replication;

import io.farheap.replication.control.ByteRange;
import io.farheap.replication.control.SlotReport;
import java.util.List;

/**
 * A remote replica that is compared with other copies: nobody else has it as long as this is open,
 * so it stands still. For one thread.
 */
public final class ComparedReplica implements AutoCloseable {
    private final Member member;

    ComparedReplica(Member member) {
        this.member = member;
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
                : member.footprint(imageSize());
    }

    /**
     * CRC32C of each {@code chunk} bytes of {@code length} bytes at {@code from}; the last less.
     *
     * @param chunk at least 64
     */
    public int[] sums(long from, long length, long chunk) {
        return member.images().sums(from, length, chunk);
    }

    /** Bytes that went over the data connection, framing included. */
    public long bytesSent() {
        return member.bytesSent();
    }

    /** Lets the replica go. */
    @Override
    public void close() {
        member.close();
    }
}
