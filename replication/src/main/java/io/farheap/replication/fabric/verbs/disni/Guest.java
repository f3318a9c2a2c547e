package io.farheap.replication.fabric.verbs.disni;

import io.farheap.FarheapException;
import io.farheap.FarheapException.Category;
import io.farheap.replication.fabric.WaitStrategy;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The target's end while it does not know yet who is at the other one. */
final class Guest extends VerbsEndpoint {
    private final byte[] secret;
    private final MemorySegment region;
    private final MemorySegment published;
    private boolean trusted;
    private boolean known;

    Guest(
            QueuePair pair,
            WaitStrategy wait,
            byte[] secret,
            MemorySegment region,
            MemorySegment published)
            throws IOException {
        super(pair, wait);
        this.secret = secret;
        this.region = region;
        this.published = published;
        expectGreeting(this::greet);
    }

    /**
     * @throws FarheapException when it showed another one, or is gone
     */
    boolean showsSecret() {
        int unused = poll((memory, offset, length) -> {});
        return known;
    }

    /** Whether the secret was right, whatever became of it then. */
    boolean isTrusted() {
        return trusted;
    }

    private void greet(MemorySegment message, long offset, int length) {
        if (!GreetingLayout.accepts(message, offset, length, secret)) {
            throw new FarheapException(Category.REPLICA, "a wrong secret from a stranger");
        }
        trusted = true;
        try {
            greeted(
                    GreetingLayout.ringAddress(message, offset),
                    GreetingLayout.ringKey(message, offset));
            Region shared = new Region(pair(), region, Region.SHARED);
            MemorySegment answer = Arena.ofAuto().allocate(GreetingLayout.ANSWER_BYTES);
            GreetingLayout.writeAnswer(
                    answer,
                    inboxRing(),
                    shared,
                    published.byteSize() == 0
                            ? null
                            : new Region(pair(), published, Region.PUBLISHED));
            sendGreeting(answer, GreetingLayout.ANSWER_BYTES);
        } catch (IOException e) {
            throw new FarheapException(Category.REPLICA, e.getMessage(), e);
        }
        expectGreeting(null);
        known = true;
    }
}
