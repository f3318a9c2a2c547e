package io.farheap.replication.epoch;

import io.farheap.base.FarheapException;
import io.farheap.poolset.RemoteReplica;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ObjLongConsumer;

/** Records switches in memory, and answers as a test says. */
final class ScriptedRecorder implements SwitchRecorder {
    /** One request, as it was made first. */
    record Switch(List<RemoteReplica> members, long number) {}

    /** What a fake pool has at first. */
    private static final long FIRST = 2;

    volatile long term = 7;
    volatile long recordId = 4711;
    volatile int minCopies = 1;

    /** That the record names copies to which no replica leads. */
    volatile Optional<String> beside = Optional.empty();

    /** Of the copy that was taken over. */
    volatile TakenTail tail = TakenTail.NONE;

    /** What is answered first; then everything is recorded at once. */
    final Deque<Kind> answers = new ArrayDeque<>();

    /** Before anything is answered: who is named, and the number. */
    volatile ObjLongConsumer<List<RemoteReplica>> onRecord = (members, number) -> {};

    /** All replicas, as they were told last. */
    volatile List<RemoteReplica> known = List.of();

    /** How often they were told. */
    final AtomicInteger told = new AtomicInteger();

    /** Set by tests: the call of that number that fails; 0: none. */
    volatile int toldInVain;

    /** Set by tests: the store does not answer, and nothing is recorded. */
    volatile boolean away;

    /** How often it was asked whether it would be. */
    final AtomicInteger looks = new AtomicInteger();

    /** Set by tests: can't be recorded. */
    volatile RemoteReplica unknown;

    final List<Switch> requests = new ArrayList<>();
    final List<Switch> recorded = new ArrayList<>();
    final List<Long> prepared = new ArrayList<>();
    int settles;

    @Override
    public long term() {
        return term;
    }

    @Override
    public long recordId() {
        return recordId;
    }

    @Override
    public Optional<String> namedBeside() {
        return beside;
    }

    @Override
    public int minCopies() {
        return minCopies;
    }

    @Override
    public synchronized boolean isNew() {
        return recorded.isEmpty();
    }

    @Override
    public TakenTail tail() {
        return tail;
    }

    /** As the last one that was recorded; before that the first pool's. */
    @Override
    public synchronized long number() {
        return recorded.isEmpty() ? FIRST : recorded.get(recorded.size() - 1).number();
    }

    @Override
    public synchronized boolean names(RemoteReplica replica) {
        return !recorded.isEmpty() && recorded.get(recorded.size() - 1).members().contains(replica);
    }

    @Override
    public void replicas(List<RemoteReplica> all) {
        if (told.incrementAndGet() == toldInVain) {
            throw new IllegalStateException("no plan for " + all);
        }
        if (all.contains(unknown)) {
            throw FarheapException.wrongUse("The replica %s has no node's name", unknown);
        }
        known = List.copyOf(all);
    }

    @Override
    public void requireRecording() {
        looks.getAndIncrement();
        if (away) {
            throw FarheapException.environment("The store is away.");
        }
    }

    @Override
    public synchronized void prepare(long current, long number) {
        prepared.add(number);
    }

    @Override
    public synchronized Answer record(List<RemoteReplica> members, long number) {
        onRecord.accept(members, number);
        requests.add(new Switch(members, number));
        return answer();
    }

    @Override
    public synchronized Answer settle() {
        settles++;
        return answer();
    }

    private Answer answer() {
        if (away) {
            return new Answer(Kind.NOT_RECORDED, "The store is away.");
        }
        Kind kind = answers.isEmpty() ? Kind.RECORDED : answers.poll();
        if (kind == Kind.RECORDED) {
            recorded.add(last());
        }
        return new Answer(kind, kind == Kind.OVER ? "b is the writer now, of term 8" : "as told");
    }

    /** From now on these come, in this order, before everything is recorded again. */
    synchronized void answer(Kind... kinds) {
        answers.addAll(List.of(kinds));
    }

    /** Everything is recorded again. */
    synchronized void answerAtOnce() {
        answers.clear();
    }

    synchronized Switch last() {
        return requests.get(requests.size() - 1);
    }

    synchronized int count() {
        return requests.size();
    }

    synchronized int settles() {
        return settles;
    }
}
