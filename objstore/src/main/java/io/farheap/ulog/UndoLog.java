package io.farheap.ulog;

import io.farheap.layout.Checksum;
import io.farheap.layout.LogLayout;
import io.farheap.memory.PoolMemory;

/**
 * The undo log of one lane: old contents of ranges that a transaction is about to change
 * (docs/format.md#undo-log).
 *
 * <p>In a transaction: {@link #append} each range and {@link #persist} once before the first of
 * them is changed (any number of rounds). Then either add SET {@link #genNumOffset} = {@link
 * #nextGenNum} to the redo operations that commit and call {@link #afterCommit}, or {@link
 * #rollBack}. Owned by the thread that owns the lane; allocates nothing unless an extension has to
 * be linked.
 *
 * <p>Why one fence makes any number of entries safe. A reader looks for an entry where the one
 * before ends, takes any word there that is not zero for one, and libpmemobj's trusts its operation
 * and its size before it compares the checksum. So libpmemobj writes one entry at a time and clears
 * the place of the next one first, durably. Here {@link DataLines} knows the lines that may hold
 * data: a place of a next entry among them is cleared, durably, before the entry in front of it is
 * written. Any other line holds, durably and word by word, zeros or the heads of entries written
 * there: whatever of them a crash mixes is an entry inside its log, which its checksum over this
 * generation makes valid or not. Heads in what lies behind the last entry are of older generations,
 * with all their data: each transaction writes a log from its start on, so nothing of an entry is
 * overwritten before its head is.
 *
 * <p>In the steady state nothing is cleared: ranges of the same lengths have their heads in the
 * same places, and short ranges are entries of one line, which has no data that a head could meet.
 */
public final class UndoLog {
    /** Data bytes of an entry that is one line. */
    static final int LINE_DATA = (int) (LogLayout.BUFFER_ALIGNMENT - LogLayout.BUFFER_DATA);

    /**
     * Up to so many bytes of a range, or of what a log has room for, are in entries of one line.
     */
    static final long SHORT_RANGE = 8 * LINE_DATA;

    /** Logs that take no longer entry have entries of one line only. */
    static final long LEAST_LONG_ENTRY = LogReader.bufferEntrySize(SHORT_RANGE + 1);

    private static final long LINE = LogLayout.BUFFER_ALIGNMENT;

    /**
     * The lane's first bytes take entries of one line only: a transaction that changes little never
     * meets the data of one that changed much.
     */
    private static final long SHORT_ENTRIES = 6 * LINE;

    /** So many bytes are copied, then summed: they are in the processor's nearest cache still. */
    private static final long PIECE = 16 << 10;

    /** So many bytes are cleared at once: one fence serves the entries that follow, too. */
    private static final long CLEARED_AT_ONCE = 16 * LINE;

    /**
     * Extensions but the first take what the range needs, up to this: they are freed with the
     * transaction. All take what is set at least, as those of libpmemobj do.
     */
    private static final long MAX_EXTENSION = 1 << 20;

    /** What they have at least in a full pool. */
    private static final long LEAST_EXTENSION = 1024;

    private final LaneArea lanes;
    private final PoolMemory memory;
    private final LogChain chain;
    private final DataLines dataLines = new DataLines();
    private final long genNumOffset;
    private long genNum;

    /** The log that takes the next entry, and where in it; what of it is not flushed yet. */
    private int log;

    private long position;
    private long flushed;
    private boolean fenceNeeded;

    UndoLog(LaneArea lanes, LogChain chain) {
        this.lanes = lanes;
        this.memory = lanes.memory();
        this.chain = chain;
        genNumOffset = chain.header(0) + LogLayout.GEN_NUM;
        genNum = memory.getLong(genNumOffset);
        if (chain.logs() > 1) {
            dataLines.stored(1, 0, chain.capacity(1));
        }
    }

    /** Whether nothing was appended since the last commit or roll-back. */
    public boolean isEmpty() {
        return log == 0 && position == 0;
    }

    /**
     * Appends the present content of a range. Not durable before {@link #persist}; the range must
     * not be changed before that. No byte may be appended twice in one transaction.
     *
     * <p>Costs no fence but where entries of other lengths than before need a place cleared, or an
     * extension has to be linked.
     *
     * @param offset image offset in bytes, any alignment
     * @param length bytes; a short range takes 64 bytes of the lane's 2048 for each 40 of them, or
     *     the rest, a long one its length and 24
     * @throws io.farheap.base.FarheapException ENVIRONMENT when an extension is needed and the pool
     *     has no room for one; what was appended before stays
     */
    public void append(long offset, long length) {
        long end = offset + length;
        long at = offset;
        while (at < end) {
            if (position == chain.capacity(log)) {
                goToNextLog(end - at);
            }
            long room = chain.capacity(log) - position - LogLayout.BUFFER_DATA;
            long part = Math.min(end - at, room);
            if (part <= SHORT_RANGE || (log == 0 && position < SHORT_ENTRIES)) {
                part = Math.min(part, LINE_DATA);
                clearPlaceOfNext(position + LINE);
                writeLine(chain.data(log) + position, at, (int) part);
                position += LINE;
            } else {
                long next = position + LogReader.bufferEntrySize(part);
                clearPlaceOfNext(next);
                dataLines.stored(log, position + LINE, next);
                writeLines(chain.data(log) + position, at, part);
                position = next;
            }
            at += part;
        }
    }

    /**
     * Makes everything appended durable before what is flushed next: one flush per log touched and
     * one order, or nothing.
     */
    public void persist() {
        flushLines();
        if (fenceNeeded) {
            memory.order();
            fenceNeeded = false;
        }
    }

    /** Whether it may be extended; else what does not fit is refused. */
    public void setGrowing(boolean growing) {
        chain.setGrowing(growing);
    }

    /** Where the word lies that a commit sets to {@link #nextGenNum} to discard this log. */
    public long genNumOffset() {
        return genNumOffset;
    }

    /** The value that makes every entry of this log invalid. */
    public long nextGenNum() {
        return genNum + 1;
    }

    /**
     * The redo log with the new generation number was committed and applied: starts anew. Frees all
     * extensions but the first, which stays for the next transaction if it may. No fence unless
     * something is freed.
     */
    public void afterCommit() {
        if (!isEmpty()) {
            startAnew();
        }
    }

    /**
     * Puts the old contents back and discards the log, in this order. Two orders, and three for
     * each extension freed. Nothing when the log is empty. What is lost of it recovery does again.
     */
    public void rollBack() {
        if (isEmpty()) {
            return;
        }
        for (int i = 0; i <= log; i++) {
            putBack(chain.data(i), i < log ? chain.capacity(i) : position);
        }
        memory.order();
        memory.putLong(genNumOffset, nextGenNum());
        memory.flush(genNumOffset, Long.BYTES);
        memory.order();
        startAnew();
    }

    /** Frees the extension that stayed for the next transaction. Only between transactions. */
    void releaseExtensions() {
        assert isEmpty() : "in a transaction";
        chain.shrinkTo(1);
    }

    private void startAnew() {
        genNum++;
        assert memory.getLong(genNumOffset) == genNum : "committed without the new generation";
        log = 0;
        position = 0;
        flushed = 0;
        fenceNeeded = false;
        if (chain.logs() > 1) {
            // As libpmemobj does; no reader looks at it.
            memory.putLong(chain.header(1) + LogLayout.GEN_NUM, genNum);
        }
        chain.shrinkTo(chain.stayingLogs());
    }

    private void goToNextLog(long bytesLeft) {
        flushLines();
        if (log + 1 == chain.logs()) {
            long wanted =
                    bytesLeft > SHORT_RANGE
                            ? LogReader.bufferEntrySize(bytesLeft)
                            : LINE * ((bytesLeft + LINE_DATA - 1) / LINE_DATA);
            long least = Math.max(LINE, lanes.undoExtensionBytes());
            long most = log == 0 ? least : Math.max(least, MAX_EXTENSION);
            long size = Math.clamp(wanted, least, most);
            // Before it is linked: memory may end while this grows.
            dataLines.stored(log + 1, LINE, size);
            long anything =
                    chain.extend(
                            size,
                            Math.min(least, LEAST_EXTENSION),
                            genNum,
                            bytesLeft > SHORT_RANGE ? wanted : 0);
            dataLines.cleared(log + 1, 0, chain.capacity(log + 1));
            dataLines.stored(log + 1, LINE, anything);
        }
        log++;
        position = 0;
        flushed = 0;
    }

    private void flushLines() {
        if (flushed < position) {
            memory.flush(chain.data(log) + flushed, position - flushed);
            flushed = position;
            fenceNeeded = true;
        }
    }

    /** The first line of a log is always a head, or zero. */
    private void clearPlaceOfNext(long next) {
        if (next < chain.capacity(log) && dataLines.holds(log, next)) {
            long to = Math.min(next + CLEARED_AT_ONCE, chain.capacity(log));
            memory.fill(chain.data(log) + next, to - next, (byte) 0);
            memory.flush(chain.data(log) + next, to - next);
            memory.order();
            dataLines.cleared(log, next, to);
        }
    }

    /** Writes one BUF_CPY entry with its checksum (docs/format.md#entries). */
    private void writeLines(long entry, long offset, long length) {
        long data = entry + LogLayout.BUFFER_DATA;
        long padded = LogReader.bufferEntrySize(length) - LogLayout.BUFFER_DATA;
        memory.putLong(entry, LogLayout.firstWord(LogLayout.BUFFER_COPY, offset));
        memory.putLong(entry + LogLayout.BUFFER_CHECKSUM, 0);
        memory.putLong(entry + LogLayout.BUFFER_SIZE, length);
        memory.fill(data + length, padded - length, (byte) 0);
        long sum = Checksum.continued(0, memory.image(), entry, LogLayout.BUFFER_DATA);
        long at = 0;
        for (; length - at > PIECE; at += PIECE) {
            memory.copy(offset + at, data + at, PIECE);
            sum = Checksum.continued(sum, memory.image(), data + at, PIECE);
        }
        memory.copy(offset + at, data + at, length - at);
        sum = Checksum.continued(sum, memory.image(), data + at, padded - at);
        memory.putLong(entry + LogLayout.BUFFER_CHECKSUM, Checksum.continued(sum, genNum));
    }

    /** The same for an entry of one line: its words pass once. */
    private void writeLine(long line, long offset, int length) {
        long firstWord = LogLayout.firstWord(LogLayout.BUFFER_COPY, offset);
        memory.putLong(line, firstWord);
        memory.putLong(line + LogLayout.BUFFER_SIZE, length);
        long sum = Checksum.continued(0, firstWord);
        sum = Checksum.continued(sum, 0);
        sum = Checksum.continued(sum, length);
        for (int at = 0; at < LINE_DATA; at += Long.BYTES) {
            long word =
                    at + Long.BYTES <= length
                            ? memory.getLong(offset + at)
                            : lastBytes(offset + at, length - at);
            memory.putLong(line + LogLayout.BUFFER_DATA + at, word);
            sum = Checksum.continued(sum, word);
        }
        memory.putLong(line + LogLayout.BUFFER_CHECKSUM, Checksum.continued(sum, genNum));
    }

    /** Fewer than 8 bytes, padded with zeros; never reads beyond them. */
    private long lastBytes(long offset, int count) {
        long word = 0;
        for (int i = 0; i < count; i++) {
            word |= (memory.getByte(offset + i) & 0xFFL) << (8 * i);
        }
        return word;
    }

    /** Copies the entries of one log back in order; what lies side by side is flushed at once. */
    private void putBack(long data, long bytes) {
        long from = 0;
        long to = 0;
        long length;
        for (long entry = data; entry < data + bytes; entry += LogReader.bufferEntrySize(length)) {
            long target = LogLayout.target(memory.getLong(entry));
            length = memory.getLong(entry + LogLayout.BUFFER_SIZE);
            memory.copy(entry + LogLayout.BUFFER_DATA, target, length);
            if (target != to) {
                if (to > from) {
                    memory.flush(from, to - from);
                }
                from = target;
            }
            to = target + length;
        }
        memory.flush(from, to - from);
    }
}
