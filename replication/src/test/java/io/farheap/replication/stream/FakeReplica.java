package io.farheap.replication.stream;

import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.FakePool;
import io.farheap.replication.FakeTarget;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.control.Blob;
import io.farheap.replication.control.ByteRange;
import io.farheap.replication.control.Purpose;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.Request;
import io.farheap.replication.control.SessionOwner;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.RecordReader;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.session.SharedBytes;
import io.farheap.spi.ChangedRanges;
import io.farheap.spi.RecordEntries;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/**
 * A target's durable side, as simple as the protocol allows: every store is durable at once, and an
 * agent dies only between steps. What survives its agents is in here.
 */
public final class FakeReplica {
    public static final int RING_BYTES = 128 << 10;

    public final RemoteReplica remote;
    public final MemorySegment image;
    public final MemorySegment ring = Arena.ofAuto().allocate(RING_BYTES, 64);
    public ReplicaState state = ReplicaState.NEW;
    public long cur;
    public long next;
    public long journalEpoch;
    public long applied;
    public long position;
    public boolean foreignOpen;
    public boolean mayLag;

    /** Set by tests: what its agents never answer, though they show that they live. */
    public volatile Predicate<Request> unanswered = request -> false;

    /** Set by tests: what its agents take a while for, and how long. */
    public volatile Predicate<Request> slow = request -> false;

    public volatile Duration pause = Duration.ZERO;

    /** Set by tests: what its agents answer to a hello; null: they look. */
    public volatile Reply.Code refusing;

    /** Whether an agent of it had a data connection. */
    public volatile boolean connected;

    /** Set by tests: what it stores of the image differs in a bit from what was sent. */
    public volatile boolean spoils;

    /** Set by tests: its agents read nothing of what is posted. */
    public volatile boolean stalled;

    /** Whether an agent of it noticed that. */
    public volatile boolean stands;

    private boolean willLag;
    public boolean fresh = true;
    public boolean held;

    /** Ends the agent that holds it. */
    public Runnable endHolder = () -> {};

    /** How many agents of it were ended for another one. */
    public final AtomicInteger endedHolders = new AtomicInteger();

    /** For whom it is held. */
    public SessionOwner owner = SessionOwner.NONE;

    /** Set by tests: an agent that the same opening has left behind is ended by its next one. */
    public volatile boolean endsLeftBehind;

    /** Of the last writer that it has heard; of a lower one it hears none. */
    public volatile long term;

    /** Of the record that the term is of; 0: not known. */
    public volatile long recordId;

    /** Set by tests: its agents are an earlier release's. */
    public volatile boolean knowsNoRecords;

    /** Set by tests: a former writer's copy becomes one of the set again. */
    public volatile boolean returns;

    /** Set by tests: nothing is applied while records flow. */
    public volatile boolean lazy;

    /** Set by tests: an epoch never goes on after a lost connection. */
    public volatile boolean resumable = true;

    /** Bytes of content that were sent outside of records. */
    public final AtomicLong copied = new AtomicLong();

    /** How many were told that somebody else holds it. */
    public volatile int turnedAway;

    String poolsetUuid = "";
    public final List<String> history = new ArrayList<>();

    /** The pool that the last initiator meant, as it said. */
    public String named;

    private boolean syncAllowed;

    public FakeReplica(String name, long imageBytes) {
        this.remote = new RemoteReplica(null, "target", 0, name);
        this.image = Arena.ofAuto().allocate(imageBytes, 64);
    }

    /**
     * A backup of its files.
     *
     * @return puts them back
     */
    public synchronized Runnable backup() {
        MemorySegment ofImage = Arena.ofAuto().allocate(image.byteSize()).copyFrom(image);
        MemorySegment ofRing = Arena.ofAuto().allocate(RING_BYTES).copyFrom(ring);
        ReplicaState stateThen = state;
        long[] numbers = {cur, next, journalEpoch, applied, position};
        return () -> {
            synchronized (this) {
                image.copyFrom(ofImage);
                ring.copyFrom(ofRing);
                state = stateThen;
                cur = numbers[0];
                next = numbers[1];
                journalEpoch = numbers[2];
                applied = numbers[3];
                position = numbers[4];
            }
        };
    }

    /** Takes the verdict and does slot event 1 where it is "current". */
    public synchronized AttachDecision hello(Request.Hello hello) {
        named = hello.poolsetUuid();
        if (hello.purpose() == Purpose.RESUME) {
            boolean same =
                    resumable
                            && state == ReplicaState.INSYNC
                            && cur == hello.runId()
                            && !foreignOpen;
            return same ? AttachDecision.CURRENT : AttachDecision.NOT_COMPARABLE;
        }
        if (hello.purpose() != Purpose.ATTACH) {
            return AttachDecision.NONE;
        }
        long l = hello.runId();
        boolean current = state == ReplicaState.INSYNC && cur == l;
        boolean hasAll = hello.committed() >= 0 && hello.committed() <= lastSequence();
        boolean byCur = current && (!mayLag || hasAll);
        boolean byNext = next != 0 && next == l;
        boolean wasPromoted = state == ReplicaState.PROMOTED && byNext;
        AttachDecision kind;
        if (state == ReplicaState.NEW) {
            kind = AttachDecision.NEW;
        } else if (foreignOpen) {
            kind = AttachDecision.OPENED_ON_TARGET;
        } else if (wasPromoted) {
            kind = AttachDecision.CURRENT; // and stays what it is until it is copied over
        } else if (byCur || byNext) {
            kind = AttachDecision.CURRENT;
            if (state != ReplicaState.INSYNC) {
                state = ReplicaState.INSYNC;
                journalEpoch = l; // as an agent's slot has it
                applied = 0;
                position = 0;
            }
            mayLag &= byCur;
            cur = l;
            next = hello.nextRunId();
        } else if (state == ReplicaState.SYNCING) {
            kind = AttachDecision.SYNC_INTERRUPTED;
        } else if (state == ReplicaState.PROMOTED) {
            kind = AttachDecision.TAKEN_OVER;
        } else if (current || hello.descendsFrom().contains(cur)) {
            kind = AttachDecision.STALE;
        } else {
            kind = AttachDecision.NOT_COMPARABLE;
        }
        syncAllowed =
                kind == AttachDecision.NEW
                        || kind == AttachDecision.SYNC_INTERRUPTED
                        || kind == AttachDecision.STALE
                        || wasPromoted
                        || hello.overwrite();
        willLag = false;
        return kind;
    }

    public synchronized SlotReport report() {
        return new SlotReport(
                        state,
                        cur,
                        next,
                        journalEpoch,
                        applied,
                        tail().size(),
                        cur,
                        foreignOpen,
                        mayLag)
                .inTerm(term, recordId);
    }

    /** One record of the tail: where it ends, and whether it carries nothing. */
    record TailRecord(long sequence, long offset, long length, boolean empty) {}

    public synchronized List<TailRecord> tail() {
        List<TailRecord> records = new ArrayList<>();
        RecordReader reader = new RecordReader(ring);
        long at = position;
        long sequence = applied;
        while (at - position < RING_BYTES
                && reader.read(at % RING_BYTES, journalEpoch, sequence + 1)
                        == RecordReader.Verdict.VALID) {
            sequence++;
            records.add(
                    new TailRecord(sequence, at % RING_BYTES, reader.length(), reader.isEmpty()));
            at += reader.length();
        }
        return records;
    }

    public synchronized long lastSequence() {
        return applied + tail().size();
    }

    public synchronized List<ByteRange> footprint() {
        List<ByteRange> ranges = new ArrayList<>();
        for (TailRecord record : tail()) {
            replay(record, new Footprint(ranges));
        }
        return merged(ranges);
    }

    private static List<ByteRange> merged(List<ByteRange> ranges) {
        List<ByteRange> merged = new ArrayList<>();
        ranges.sort(Comparator.comparingLong(ByteRange::offset));
        for (ByteRange range : ranges) {
            ByteRange last = merged.isEmpty() ? null : merged.get(merged.size() - 1);
            if (last == null || range.offset() > last.offset() + last.length()) {
                merged.add(range);
            } else {
                long end = Math.max(last.offset() + last.length(), range.offset() + range.length());
                merged.set(merged.size() - 1, new ByteRange(last.offset(), end - last.offset()));
            }
        }
        return merged;
    }

    /** Applies records up to {@code limit}. */
    public synchronized void apply(long limit) {
        for (TailRecord record : tail()) {
            if (record.sequence() > limit && !record.empty()) {
                return;
            }
            replay(record, new FakeTarget.ImageWriter(image));
            applied = record.sequence();
            position += record.length();
        }
    }

    /** As apply does while records flow. */
    public synchronized void applyCommitted() {
        if (!lazy && state == ReplicaState.INSYNC && next == 0) {
            long committed = 0;
            RecordReader reader = new RecordReader(ring);
            for (TailRecord record : tail()) {
                if (reader.read(record.offset(), journalEpoch, record.sequence())
                        == RecordReader.Verdict.VALID) {
                    committed = Math.max(committed, reader.committedUpTo());
                }
            }
            apply(Math.min(committed, lastSequence()));
        }
    }

    private void replay(TailRecord record, RecordEntries into) {
        RecordReader reader = new RecordReader(ring);
        RecordReader.Verdict verdict =
                reader.read(record.offset(), journalEpoch, record.sequence());
        if (verdict != RecordReader.Verdict.VALID) {
            throw new IllegalStateException("the tail changed: " + verdict);
        }
        reader.checkEntries(4096, image.byteSize());
        reader.replay(into);
    }

    /** What the promoted replica would be. */
    public synchronized void promote(long number) {
        if (state != ReplicaState.PROMOTED) {
            apply(Long.MAX_VALUE);
            state = ReplicaState.PROMOTED;
            cur = number;
            next = 0;
        }
    }

    /** Everything but what was read: null when it may be done. */
    public synchronized Reply.Refused carryOut(Request request) {
        history.add(request.type());
        if (request instanceof Request.Drain) {
            long limit = ((Request.Drain) request).sequence();
            if (limit > lastSequence()) {
                return new Reply.Refused(
                        Reply.Code.WRONG_STATE,
                        "its records reach to " + lastSequence() + ", not to " + limit,
                        "");
            }
            apply(limit);
        } else if (request instanceof Request.Return && returns) {
            state = ReplicaState.INSYNC;
        } else if (request instanceof Request.Confirm) {
            long number = ((Request.Confirm) request).runId();
            if (next != number && cur != number) {
                return new Reply.Refused(
                        Reply.Code.WRONG_NUMBER, "prepared for " + next + ", not " + number, "");
            }
            state = ReplicaState.INSYNC;
            mayLag = willLag;
            cur = number;
            journalEpoch = number;
            next = 0;
            applied = 0;
            position = 0;
        } else if (request instanceof Request.StartSync) {
            if (!syncAllowed) {
                return new Reply.Refused(Reply.Code.WRONG_STATE, "nobody ordered a sync", "");
            }
            state = ReplicaState.SYNCING;
            mayLag = false;
            cur = 0;
            next = 0;
            journalEpoch = 0;
            applied = 0;
            position = 0;
            fresh = false;
        } else if (request instanceof Request.SyncComplete) {
            next = ((Request.SyncComplete) request).runId();
        } else if (request instanceof Request.MayLag) {
            willLag = true;
        } else if (request instanceof Request.CaughtUp) {
            mayLag = ((Request.CaughtUp) request).sequence() > lastSequence();
        } else if (request instanceof Request.RestoreComplete) {
            next = ((Request.RestoreComplete) request).nextRunId();
        } else if (request instanceof Request.Remove) {
            state = ReplicaState.NEW;
            fresh = true;
            image.fill((byte) 0);
        }
        return null;
    }

    public synchronized Reply.Verdict verdict(
            AttachDecision kind,
            SlotReport found,
            io.farheap.replication.control.DataEndpoint data) {
        return new Reply.Verdict(
                kind, found, fresh, Blob.of(new byte[4096]), image.byteSize(), List.of(), "", data);
    }

    /** What who looks at it is told. */
    public synchronized Reply.Verdict looked(Request.Hello hello) {
        Reply.Verdict verdict = verdict(hello(hello), report(), null);
        return new Reply.Verdict(
                verdict.kind(),
                verdict.slot(),
                verdict.created(),
                verdict.header(),
                verdict.imageSize(),
                verdict.faults(),
                held ? "an initiator" : "",
                null);
    }

    /** Where the image first differs from the pool's, -1 when it does not. */
    public long differs(FakePool pool) {
        for (ByteRange range : SharedBytes.of(image.byteSize())) {
            long end = range.offset() + range.length();
            long at =
                    MemorySegment.mismatch(
                            pool.image, range.offset(), end, image, range.offset(), end);
            if (at >= 0) {
                return range.offset() + at;
            }
        }
        return -1;
    }

    private static final class Footprint extends ChangedRanges {
        private final List<ByteRange> ranges;

        Footprint(List<ByteRange> ranges) {
            this.ranges = ranges;
        }

        @Override
        protected void range(long offset, long length) {
            ranges.add(new ByteRange(offset, length));
        }
    }
}
