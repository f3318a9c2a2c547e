package io.farheap.replication.fabric.verbs.disni;

import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.SVCPollCq;
import com.ibm.disni.verbs.SVCReqNotify;
import java.io.IOException;

/** A connection's completions, as the device reports them. Used by one thread at a time. */
final class Completions {
    private static final int AT_ONCE = 16;

    private final QueuePair pair;
    private final IbvWC[] reported = new IbvWC[AT_ONCE];
    private final SVCPollCq poll;
    private final SVCPollCq pollOne;
    private final SVCReqNotify wake;

    Completions(QueuePair pair) throws IOException {
        this.pair = pair;
        for (int i = 0; i < AT_ONCE; i++) {
            reported[i] = new IbvWC();
        }
        poll = pair.completions().poll(reported, AT_ONCE);
        pollOne = pair.completions().poll(reported, 1);
        wake = pair.completions().reqNotification(false);
    }

    /** How many there are now, up to a limit; the next poll replaces them. */
    int poll() throws IOException {
        return poll.execute().getPolls();
    }

    /** As {@link #poll}, but one at the most. */
    int pollOne() throws IOException {
        return pollOne.execute().getPolls();
    }

    long id(int index) {
        return reported[index].getWr_id();
    }

    int receivedBytes(int index) {
        return reported[index].getByte_len();
    }

    boolean failed(int index) {
        return reported[index].getStatus() != IbvWC.IbvWcStatus.IBV_WC_SUCCESS.ordinal();
    }

    /**
     * Whether it was given up because the connection ended, as all are that come after a failure.
     */
    boolean flushed(int index) {
        return reported[index].getStatus() == IbvWC.IbvWcStatus.IBV_WC_WR_FLUSH_ERR.ordinal();
    }

    /** Why it failed, for a person. */
    String failure(int index) {
        int status = reported[index].getStatus();
        IbvWC.IbvWcStatus[] all = IbvWC.IbvWcStatus.values();
        if (status < 0 || status >= all.length) {
            return "the network card reports status " + status;
        }
        return switch (all[status]) {
            case IBV_WC_WR_FLUSH_ERR -> "it ended";
            case IBV_WC_RETRY_EXC_ERR -> "the other side's network card does not answer";
            case IBV_WC_RNR_RETRY_EXC_ERR -> "the other side takes no messages";
            case IBV_WC_REM_ACCESS_ERR ->
                    "the other side's network card refuses access to that memory";
            case IBV_WC_REM_INV_REQ_ERR, IBV_WC_REM_OP_ERR ->
                    "the other side's network card can't carry out the request";
            case IBV_WC_LOC_PROT_ERR -> "this memory is not registered";
            default -> "the network card reports " + all[status];
        };
    }

    /** From now on the next completion ends {@link #await}. */
    void arm() throws IOException {
        SVCReqNotify unused = wake.execute();
    }

    /** Waits for one, after {@link #arm}. */
    void await(int millis) throws IOException {
        if (pair.events().getCqEvent(pair.completions(), millis)) {
            int unused = pair.completions().ackEvents(1);
        }
    }

    void free() {
        SVCPollCq unused = poll.free();
        unused = pollOne.free();
        SVCReqNotify unusedToo = wake.free();
    }
}
