package io.farheap.replication.fabric.verbs.disni;

import io.farheap.base.FarheapException;
import io.farheap.replication.fabric.Endpoint;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantLock;

/** What an end prepares and posts; whoever does holds the lock. */
final class Sender {
    /** Something that must not overlap with any post. */
    interface Work {
        void run() throws IOException;
    }

    private final WorkQueue work;
    private final Outbox outbox;
    private final Inbox inbox;
    private final EndpointCounters counts;
    private final ConnectionFailure breakage;
    private final ReentrantLock lock = new ReentrantLock();

    /**
     * @param inbox what was taken there is told with every message
     */
    Sender(
            WorkQueue work,
            Outbox outbox,
            Inbox inbox,
            EndpointCounters counts,
            ConnectionFailure breakage) {
        this.work = work;
        this.outbox = outbox;
        this.inbox = inbox;
        this.counts = counts;
        this.breakage = breakage;
    }

    void greeting(MemorySegment message, int length) throws IOException {
        lock.lock();
        try {
            outbox.greeting(message, length);
            int unused = postLocked();
        } finally {
            lock.unlock();
        }
    }

    boolean canSend(int length) {
        lock.lock();
        try {
            return outbox.hasRoom(length);
        } finally {
            lock.unlock();
        }
    }

    void message(MemorySegment message, long offset, int length) {
        if (length <= 0 || length > Endpoint.MAX_MESSAGE_BYTES) {
            throw FarheapException.wrongUse("a message of %s bytes can't be sent", length);
        }
        lock.lock();
        try {
            breakage.check();
            outbox.message(message, offset, length);
        } finally {
            lock.unlock();
        }
        counts.prepared(length + MessageLayout.HEADER_BYTES);
    }

    void write(long from, int fromKey, int length, long to, int toKey) {
        lock.lock();
        try {
            checkRoom();
            work.write(from, fromKey, length, to, toKey);
        } finally {
            lock.unlock();
        }
        counts.prepared(length);
    }

    void read(long into, int intoKey, int length, long from, int fromKey) {
        lock.lock();
        try {
            checkRoom();
            work.read(into, intoKey, length, from, fromKey);
        } finally {
            lock.unlock();
        }
        counts.prepared(MessageLayout.HEADER_BYTES);
    }

    private void checkRoom() {
        breakage.check();
        if (!work.hasRoom(1)) {
            throw Outbox.noRoom();
        }
    }

    void post() {
        lock.lock();
        try {
            breakage.check();
            counts.rung(postLocked());
        } catch (IOException e) {
            throw breakage.by(e.getMessage(), e);
        } finally {
            lock.unlock();
        }
    }

    private int postLocked() throws IOException {
        long messages = inbox.taken();
        long ringBytes = inbox.ringTaken();
        outbox.stamp(messages, ringBytes);
        inbox.told(messages, ringBytes);
        return work.post();
    }

    /**
     * Tells the peer what was taken, where it may soon wait for that and no message is under way.
     */
    void tellTaken() throws IOException {
        if (inbox.hasMuchToTell() && lock.tryLock()) {
            try {
                if (outbox.mayTellTaken()) {
                    outbox.tellTaken();
                    counts.rung(postLocked());
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** Runs something while nobody prepares or posts. */
    void alone(Work what) throws IOException {
        lock.lock();
        try {
            what.run();
        } finally {
            lock.unlock();
        }
    }
}
