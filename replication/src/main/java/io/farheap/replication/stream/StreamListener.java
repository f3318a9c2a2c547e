package io.farheap.replication.stream;

import io.farheap.base.FarheapException;

/**
 * Who looks after a stream's members. Called on whatever thread finds out, maybe with locks of the
 * stream: must not block, nor call the stream.
 */
public interface StreamListener {

    /**
     * A member's connection is lost; it is closed.
     *
     * @param sinceNanos when it was lost, or an earlier one of that member with which nothing was
     *     proven
     * @return whether somebody tries to reach it again: then {@link CommitStream#resume} or {@link
     *     CommitStream#freeze} is to be called. Else the stream freezes
     */
    boolean lost(CommitStream stream, StreamMember link, FarheapException why, long sinceNanos);

    /** The stream is frozen: what is reached again is of no use to it. Called once. */
    void frozen();

    /** Nobody waits for the stream any more. */
    void ended();

    /** Nobody reaches lost members again. */
    static StreamListener freezing(Runnable onFrozen) {
        return new StreamListener() {
            @Override
            public boolean lost(
                    CommitStream stream, StreamMember link, FarheapException why, long sinceNanos) {
                return false;
            }

            @Override
            public void frozen() {
                onFrozen.run();
            }

            @Override
            public void ended() {}
        };
    }
}
