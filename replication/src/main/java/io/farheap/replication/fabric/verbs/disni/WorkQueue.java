package io.farheap.replication.fabric.verbs.disni;

import com.ibm.disni.verbs.IbvSendWR;
import java.io.IOException;

/**
 * Work requests, from prepared over posted to completed, in the order of their sequence numbers.
 * What is prepared leaves as chains, each one doorbell: any number of WRITEs up to {@link
 * Chain#MAX_WRITES}, then a SEND or up to {@link Chain#MAX_READS} READs if there are some. Only a
 * chain's last request asks for a completion, which stands for all before it. Prepared and posted
 * under the owner's lock; another thread may tell of completions.
 */
final class WorkQueue {
    private static final int DEPTH = QueuePair.SEND_DEPTH;

    private final QueuePair pair;
    private final int[] opcode = new int[DEPTH];
    private final long[] local = new long[DEPTH];
    private final int[] localKey = new int[DEPTH];
    private final int[] length = new int[DEPTH];
    private final long[] remote = new long[DEPTH];
    private final int[] remoteKey = new int[DEPTH];
    private final Chain[] writes = new Chain[Chain.MAX_WRITES + 1];
    private final Chain[] writesThenSend = new Chain[Chain.MAX_WRITES + 1];
    private final Chain[][] writesThenReads = new Chain[Chain.MAX_READS + 1][Chain.MAX_WRITES + 1];
    private long prepared;
    private long posted;
    private volatile long completed;

    WorkQueue(QueuePair pair) {
        this.pair = pair;
    }

    /** Whether so many more requests can be prepared. */
    boolean hasRoom(int requests) {
        return prepared + requests - completed <= DEPTH;
    }

    /** Of the next request; its place in a ring of as many slots is free. */
    int nextSlot() {
        return (int) (prepared % DEPTH);
    }

    boolean hasUnposted() {
        return posted < prepared;
    }

    /** Whether all that was posted is completed. */
    boolean isIdle() {
        return completed >= posted;
    }

    void write(long from, int fromKey, int bytes, long to, int toKey) {
        add(IbvSendWR.IBV_WR_RDMA_WRITE, from, fromKey, bytes, to, toKey);
    }

    void read(long into, int intoKey, int bytes, long from, int fromKey) {
        add(IbvSendWR.IBV_WR_RDMA_READ, into, intoKey, bytes, from, fromKey);
    }

    void send(long from, int fromKey, int bytes) {
        add(IbvSendWR.IBV_WR_SEND, from, fromKey, bytes, 0, 0);
    }

    private void add(int kind, long here, int hereKey, int bytes, long there, int thereKey) {
        int at = nextSlot();
        opcode[at] = kind;
        local[at] = here;
        localKey[at] = hereKey;
        length[at] = bytes;
        remote[at] = there;
        remoteKey[at] = thereKey;
        prepared++;
    }

    /**
     * Rings for all that is prepared.
     *
     * @return the doorbells it took
     * @throws IOException when the queue refuses; how much it took is not known then
     */
    int post() throws IOException {
        int doorbells = 0;
        while (posted < prepared) {
            int requests = chainLength();
            Chain chain = chain(requests);
            for (int i = 0; i < requests; i++) {
                int at = (int) ((posted + i) % DEPTH);
                chain.set(i, local[at], localKey[at], length[at], remote[at], remoteKey[at]);
            }
            posted += requests;
            chain.post(posted);
            doorbells++;
        }
        return doorbells;
    }

    private int chainLength() {
        int requests = 0;
        while (requests < Chain.MAX_WRITES && isNext(requests, IbvSendWR.IBV_WR_RDMA_WRITE)) {
            requests++;
        }
        if (isNext(requests, IbvSendWR.IBV_WR_SEND)) {
            return requests + 1;
        }
        int reads = 0;
        while (reads < Chain.MAX_READS && isNext(requests + reads, IbvSendWR.IBV_WR_RDMA_READ)) {
            reads++;
        }
        return requests + reads;
    }

    /** Whether the request so many after the last that was posted is prepared, and such a one. */
    private boolean isNext(int requests, int kind) {
        return posted + requests < prepared && opcode[(int) ((posted + requests) % DEPTH)] == kind;
    }

    private Chain chain(int requests) throws IOException {
        int last = opcode[(int) ((posted + requests - 1) % DEPTH)];
        int tails = 0;
        if (last == IbvSendWR.IBV_WR_SEND) {
            tails = 1;
        } else {
            while (tails < requests && isNext(requests - tails - 1, IbvSendWR.IBV_WR_RDMA_READ)) {
                tails++;
            }
        }
        Chain[] shapes =
                last == IbvSendWR.IBV_WR_SEND
                        ? writesThenSend
                        : tails > 0 ? writesThenReads[tails] : writes;
        int before = requests - tails;
        if (shapes[before] == null) {
            int tail = tails > 0 ? last : Chain.NO_TAIL;
            shapes[before] = new Chain(pair.queues(), before, tail, tails);
        }
        return shapes[before];
    }

    /** How many requests since the beginning are completed. */
    long completed() {
        return completed;
    }

    /** All requests up to this many since the beginning are completed. */
    void complete(long requests) {
        completed = requests;
    }

    /** Where in local memory the READ with this sequence number, not yet completed, ends up. */
    long readAddress(long sequence) {
        return local[(int) (sequence % DEPTH)];
    }

    int readLength(long sequence) {
        return length[(int) (sequence % DEPTH)];
    }

    boolean isRead(long sequence) {
        return opcode[(int) (sequence % DEPTH)] == IbvSendWR.IBV_WR_RDMA_READ;
    }

    /** Gives back what the chains hold. */
    void free() {
        free(writes);
        free(writesThenSend);
        for (Chain[] shapes : writesThenReads) {
            free(shapes);
        }
    }

    private static void free(Chain[] shapes) {
        for (int i = 0; i < shapes.length; i++) {
            if (shapes[i] != null) {
                shapes[i].free();
                shapes[i] = null;
            }
        }
    }
}
