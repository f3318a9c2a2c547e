package io.farheap.replication.fabric.tcp;

import io.farheap.replication.fabric.CompletionHandler;
import io.farheap.replication.fabric.Endpoint;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Takes frames from the socket and executes them. Bytes for the registered memory are checked
 * against its bounds before the first is stored; long ones are read straight into it. For one
 * thread; allocates nothing after construction.
 */
final class Receiver {

    /** What this end accepts, and what its frames mean. */
    interface Executor {
        /**
         * Decides about a frame that carries bytes for the registered memory.
         *
         * @return where in the registered memory they go
         * @throws ProtocolException when it is not acceptable
         */
        long place(int kind, long offset, int length) throws ProtocolException;

        /** All bytes of that frame are in place. */
        int placed(int kind, long memoryOffset, int length, CompletionHandler handler);

        /**
         * Answers a read.
         *
         * @return false: no room now, ask again later
         */
        boolean answerRead(long offset, int length) throws ProtocolException;

        /** Whether a message may be handed over now; its handler may want to answer at once. */
        boolean maySend();
    }

    /** The peer does not speak this protocol, or its frames were garbled. */
    static final class ProtocolException extends Exception {
        private static final long serialVersionUID = 1L;

        ProtocolException(String what) {
            super(what);
        }
    }

    private static final int CAPACITY = Endpoint.MAX_MESSAGE_BYTES + (64 << 10);
    private static final int DIRECT_BYTES = 32 << 10;

    private final Wire wire;
    private final Executor executor;
    private final MemorySegment in = Arena.ofAuto().allocate(CAPACITY, 64);
    private final ByteBuffer buffer = in.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    private final Frame.Sum sum = new Frame.Sum(buffer);
    private final MemorySegment memory;
    private final ByteBuffer view;

    private int start;
    private int end;
    private boolean peerClosed;
    private boolean stalled;

    private int bodyKind;
    private int bodyLength;
    private int bodyLeft;
    private long bodyOffset;

    Receiver(Wire wire, MemorySegment memory, Executor executor) {
        this.wire = wire;
        this.memory = memory;
        this.view = memory.asByteBuffer();
        this.executor = executor;
    }

    /**
     * Executes what is here, reading once from the socket when nothing is.
     *
     * @return completions handed over
     */
    int poll(CompletionHandler handler) throws IOException, ProtocolException {
        stalled = false;
        int completions = execute(handler);
        if (completions == 0 && !stalled && fill()) {
            completions = execute(handler);
        }
        if (completions == 0 && peerClosed) {
            throw new IOException("the peer closed the connection");
        }
        return completions;
    }

    /** Whether what is here waits for room to answer it: more input would not help. */
    boolean isStalled() {
        return stalled;
    }

    private boolean fill() throws IOException {
        if (peerClosed) {
            return false;
        }
        int read;
        if (bodyLeft >= DIRECT_BYTES && start == end) {
            int at = (int) bodyOffset + bodyLength - bodyLeft;
            view.limit(at + bodyLeft).position(at);
            read = wire.read(view);
            bodyLeft -= Math.max(read, 0);
        } else {
            makeRoom();
            if (end == CAPACITY) {
                return false;
            }
            buffer.limit(Math.min(CAPACITY, end + wanted())).position(end);
            read = wire.read(buffer);
            end += Math.max(read, 0);
        }
        peerClosed = read < 0;
        return read > 0;
    }

    /**
     * Not more than what is known to come and a little: what comes after it may be a long write,
     * whose bytes need not pass through here.
     */
    private int wanted() {
        int known = bodyLeft;
        if (bodyLeft == 0 && end - start >= Frame.HEADER_BYTES) {
            int length = Frame.length(buffer, start);
            known = Math.clamp((long) length - (end - start), 0, Endpoint.MAX_MESSAGE_BYTES);
        }
        return known + DIRECT_BYTES;
    }

    private void makeRoom() {
        if (start == end) {
            start = 0;
            end = 0;
        } else if (CAPACITY - end < Frame.HEADER_BYTES || frameOverruns()) {
            MemorySegment.copy(in, start, in, 0, (long) end - start);
            end -= start;
            start = 0;
        }
    }

    /** Whether the message that begins at {@code start} reaches over the buffer's end. */
    private boolean frameOverruns() {
        return end - start >= Frame.HEADER_BYTES
                && Frame.HEADER_BYTES + (long) Frame.length(buffer, start) > CAPACITY - start;
    }

    private int execute(CompletionHandler handler) throws ProtocolException {
        int completions = 0;
        while (true) {
            if (bodyKind != 0) {
                if (!takeBody()) {
                    return completions;
                }
                int kind = bodyKind;
                bodyKind = 0;
                completions += executor.placed(kind, bodyOffset, bodyLength, handler);
                continue;
            }
            if (end - start < Frame.HEADER_BYTES) {
                return completions;
            }
            int kind = Frame.kind(buffer, start);
            if (!Frame.isIntact(buffer, start, sum)) {
                throw new ProtocolException("a frame that was garbled on its way");
            }
            int length = Frame.length(buffer, start);
            long offset = Frame.offset(buffer, start);
            if (kind == Frame.SEND) {
                if (!takeMessage(length, handler)) {
                    return completions;
                }
                completions++;
            } else if (kind == Frame.READ) {
                if (!executor.answerRead(offset, length)) {
                    stalled = true;
                    return completions;
                }
                start += Frame.HEADER_BYTES;
            } else if (kind == Frame.WRITE || kind == Frame.READ_DATA) {
                bodyOffset = executor.place(kind, offset, length);
                bodyKind = kind;
                bodyLength = length;
                bodyLeft = length;
                start += Frame.HEADER_BYTES;
            } else {
                throw new ProtocolException("unknown frame 0x" + Integer.toHexString(kind));
            }
        }
    }

    private boolean takeBody() {
        int here = Math.min(bodyLeft, end - start);
        MemorySegment.copy(in, start, memory, bodyOffset + bodyLength - bodyLeft, here);
        start += here;
        bodyLeft -= here;
        return bodyLeft == 0;
    }

    private boolean takeMessage(int length, CompletionHandler handler) throws ProtocolException {
        if (length <= 0 || length > Endpoint.MAX_MESSAGE_BYTES) {
            throw new ProtocolException("a message of " + length + " bytes");
        }
        if (end - start < Frame.HEADER_BYTES + length) {
            return false;
        }
        if (!executor.maySend()) {
            stalled = true;
            return false;
        }
        int at = start + Frame.HEADER_BYTES;
        if (sum.of(at, length) != Frame.messageSum(buffer, start)) {
            throw new ProtocolException("a message that was garbled on its way");
        }
        start = at + length;
        handler.received(in, at, length);
        return true;
    }
}
