package io.farheap.replication.fabric.tcp;

import io.farheap.base.FarheapException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The frames that were prepared and have not left: pieces of this queue's own buffer (headers,
 * messages, short writes) and of the registered memory (long writes, which are not copied), so that
 * a chain is one gathering write. Not thread-safe; allocates nothing after construction.
 */
final class SendQueue {
    /** Writes up to this are copied: one piece is cheaper to hand over than three. */
    static final int COPIED_BYTES = 4096;

    private static final int PIECES = 512;
    private static final int PIECES_PER_FRAME = 2;

    private final Wire wire;
    private final MemorySegment out;
    private final ByteBuffer headers;
    private final Frame.Sum sum;
    private final MemorySegment memory;
    private final ByteBuffer[] ofOut = new ByteBuffer[PIECES];
    private final ByteBuffer[] ofMemory = new ByteBuffer[PIECES];
    private final ByteBuffer[] pieces = new ByteBuffer[PIECES];

    private int head;
    private int tail;
    private int posted;
    private int outTail;
    private long sentBytes;

    /**
     * @param capacity bytes of headers, messages and short writes that may wait
     * @param memory the registered memory that writes and answers to reads come from
     */
    SendQueue(Wire wire, int capacity, MemorySegment memory) {
        this.wire = wire;
        this.out = Arena.ofAuto().allocate(capacity, 64);
        this.headers = out.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
        this.sum = new Frame.Sum(headers);
        this.memory = memory;
        ByteBuffer whole = memory.asByteBuffer();
        for (int i = 0; i < PIECES; i++) {
            ofOut[i] = headers.duplicate();
            ofMemory[i] = whole.duplicate();
        }
    }

    /** Whether a frame with {@code copied} bytes of its own fits now. */
    boolean hasRoom(int copied) {
        if (fits(copied)) {
            return true;
        }
        compact();
        return fits(copied);
    }

    private boolean fits(int copied) {
        return tail + PIECES_PER_FRAME <= PIECES
                && copied + Frame.HEADER_BYTES <= out.byteSize() - outTail;
    }

    boolean isEmpty() {
        return head == posted && !wire.hasUnsent();
    }

    private void requireRoom(int copied) {
        if (!hasRoom(copied)) {
            throw FarheapException.wrongUse(
                    "too much is on its way that the peer has not read; poll before"
                            + " posting more");
        }
    }

    /** A frame whose bytes are copied. */
    void frame(int kind, long offset, MemorySegment source, long sourceOffset, int length) {
        requireRoom(length);
        int body = outTail + Frame.HEADER_BYTES;
        MemorySegment.copy(source, sourceOffset, out, body, length);
        header(kind, offset, length, kind == Frame.SEND ? sum.of(body, length) : 0);
        own(length);
    }

    /** A frame with nothing behind the header. */
    void request(int kind, long offset, int length) {
        requireRoom(0);
        header(kind, offset, length, 0);
    }

    /** A frame whose bytes are in the registered memory. */
    void framed(int kind, long offset, long memoryOffset, int length) {
        if (length <= COPIED_BYTES) {
            frame(kind, offset, memory, memoryOffset, length);
            return;
        }
        requireRoom(0);
        header(kind, offset, length, 0);
        ByteBuffer view = ofMemory[tail];
        view.limit((int) memoryOffset + length).position((int) memoryOffset);
        pieces[tail++] = view;
    }

    private void header(int kind, long offset, int length, int messageSum) {
        Frame.put(headers, outTail, kind, length, offset, messageSum, sum);
        own(Frame.HEADER_BYTES);
    }

    /** Appends the next bytes of the own buffer, to the last piece where it ends there. */
    private void own(int length) {
        int last = tail - 1;
        if (last >= head && pieces[last] == ofOut[last] && ofOut[last].limit() == outTail) {
            ofOut[last].limit(outTail + length);
        } else {
            ByteBuffer view = ofOut[tail];
            view.limit(outTail + length).position(outTail);
            pieces[tail++] = view;
        }
        outTail += length;
    }

    /** Lets everything prepared so far leave with the next {@link #push}. */
    void post() {
        posted = tail;
    }

    /** Hands over to the kernel what it takes now. */
    void push() throws IOException {
        if (wire.hasUnsent()) {
            wire.flush();
        }
        while (head < posted) {
            long taken =
                    posted - head == 1
                            ? wire.write(pieces[head])
                            : wire.write(pieces, head, posted - head);
            sentBytes += taken;
            while (head < posted && !pieces[head].hasRemaining()) {
                head++;
            }
            if (taken == 0) {
                return;
            }
        }
        if (head == tail) {
            head = 0;
            tail = 0;
            posted = 0;
            outTail = 0;
        }
    }

    /** Bytes that the kernel has taken so far. */
    long sentBytes() {
        return sentBytes;
    }

    /** Moves what waits to the front; needed only when the peer is slow. */
    private void compact() {
        int waiting = tail - head;
        int from = outTail;
        for (int i = head; i < tail; i++) {
            if (pieces[i] == ofOut[i]) {
                from = Math.min(from, pieces[i].position());
            }
        }
        MemorySegment.copy(out, from, out, 0, (long) outTail - from);
        outTail -= from;
        for (int i = 0; i < waiting; i++) {
            int source = head + i;
            boolean own = pieces[source] == ofOut[source];
            swap(ofOut, i, source);
            swap(ofMemory, i, source);
            pieces[i] = own ? ofOut[i] : ofMemory[i];
            if (own) {
                int position = pieces[i].position() - from;
                int limit = pieces[i].limit() - from;
                pieces[i].clear().limit(limit).position(position);
            }
        }
        posted -= head;
        head = 0;
        tail = waiting;
    }

    private static void swap(ByteBuffer[] views, int a, int b) {
        ByteBuffer held = views[a];
        views[a] = views[b];
        views[b] = held;
    }
}
