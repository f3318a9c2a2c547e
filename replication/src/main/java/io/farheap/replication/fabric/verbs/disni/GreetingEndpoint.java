package io.farheap.replication.fabric.verbs.disni;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.replication.fabric.MutualProof;
import io.farheap.replication.fabric.WaitStrategy;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The target's end while it does not know yet who is at the other one. */
final class GreetingEndpoint extends VerbsEndpoint {
    private final MutualProof proof;
    private final MemorySegment region;
    private final MemorySegment published;
    private byte[] expected;
    private boolean trusted;
    private boolean known;

    GreetingEndpoint(
            QueuePair pair,
            WaitStrategy wait,
            MutualProof proof,
            MemorySegment region,
            MemorySegment published)
            throws IOException {
        super(pair, wait);
        this.proof = proof;
        this.region = region;
        this.published = published;
        expectGreeting(this::challenge);
    }

    /**
     * Whether it has proven that it knows the secret.
     *
     * @throws FarheapException when it does not, or is gone
     */
    boolean isProven() {
        int unused = poll((memory, offset, length) -> {});
        return known;
    }

    /** Whether its proof was right, whatever became of it then. */
    boolean isTrusted() {
        return trusted;
    }

    private void challenge(MemorySegment message, long offset, int length) {
        try {
            GreetingLayout.check(message, offset, length, GreetingLayout.HELLO_BYTES);
            byte[] its = GreetingLayout.nonce(message, offset);
            byte[] ours = MutualProof.nonce();
            expected = proof.ofInitiator(its, ours);
            MemorySegment challenge = Arena.ofAuto().allocate(GreetingLayout.CHALLENGE_BYTES);
            GreetingLayout.writeChallenge(challenge, ours, proof.ofTarget(its, ours));
            expectGreeting(this::greet);
            sendGreeting(challenge, GreetingLayout.CHALLENGE_BYTES);
        } catch (IOException e) {
            throw new FarheapException(Category.REPLICA, e.getMessage(), e);
        }
    }

    private void greet(MemorySegment message, long offset, int length) {
        try {
            GreetingLayout.check(message, offset, length, GreetingLayout.REQUEST_BYTES);
        } catch (IOException e) {
            throw new FarheapException(Category.REPLICA, e.getMessage(), e);
        }
        if (!MutualProof.isEqual(expected, GreetingLayout.initiatorsProof(message, offset))) {
            throw FarheapException.replica("a stranger does not know the secret");
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
