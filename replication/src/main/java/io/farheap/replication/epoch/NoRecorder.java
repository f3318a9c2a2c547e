package io.farheap.replication.epoch;

import io.farheap.poolset.RemoteReplica;
import java.util.List;

/** Of a pool without automatic fail-over. */
final class NoRecorder implements SwitchRecorder {
    @Override
    public long term() {
        return 0;
    }

    @Override
    public int minCopies() {
        return 1;
    }

    @Override
    public long number() {
        return 0;
    }

    @Override
    public boolean names(RemoteReplica replica) {
        return false;
    }

    @Override
    public void prepare(long current, long number) {
        // nobody takes such a pool over
    }

    @Override
    public Answer record(List<RemoteReplica> members, long number) {
        return new Answer(Kind.RECORDED, "");
    }

    @Override
    public Answer settle() {
        return new Answer(Kind.RECORDED, "");
    }
}
