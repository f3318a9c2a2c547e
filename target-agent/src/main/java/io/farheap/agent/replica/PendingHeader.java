package io.farheap.agent.replica;

import io.farheap.layout.PoolHeader;
import io.farheap.memory.PoolMemory;
import io.farheap.replication.journal.JournalLayout;
import java.lang.foreign.MemorySegment;

/**
 * What the headers of a program's remote memory are being replaced by. It is noted in the journal
 * file before the first of them changes, and the note goes after the last: a crash in between is
 * put right at the next opening. Lies beside the slots and the ring, and is changed by one thread
 * at a time.
 */
final class PendingHeader {
    private final PoolMemory journal;

    PendingHeader(PoolMemory journal) {
        this.journal = journal;
    }

    private MemorySegment page() {
        return journal.image().asSlice(JournalLayout.PENDING_HEADER, PoolHeader.SIZE);
    }

    /** What a crash may have left undone; null: nothing, or a note that was never finished. */
    PoolHeader get() {
        if (journal.image().byteSize() < JournalLayout.RING) {
            return null; // no journal: who opens it says so
        }
        PoolHeader noted = new PoolHeader(page());
        return noted.isZero() || !noted.checksumMatches() ? null : noted;
    }

    /** Durable on return. */
    void note(PoolHeader header) {
        header.copyTo(page());
        journal.persist(JournalLayout.PENDING_HEADER, PoolHeader.SIZE);
    }

    /** All headers of the parts are replaced, durably: so is now what the journal says of them. */
    void settle(byte[] poolsetUuid) {
        JournalLayout.rewriteHeader(journal.image(), poolsetUuid);
        journal.persist(0, JournalLayout.SLOTS);
        page().fill((byte) 0);
        journal.persist(JournalLayout.PENDING_HEADER, PoolHeader.SIZE);
    }
}
