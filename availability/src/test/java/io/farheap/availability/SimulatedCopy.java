package io.farheap.availability;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** A node's copy of the pool: commits instead of bytes. */
final class SimulatedCopy {
    boolean whole = true;
    long cur;
    long next;

    /** Commits that the epoch began with. */
    final Set<Integer> before = new TreeSet<>();

    /** Commits of the epoch that are durable here, in order. */
    final List<Integer> tail = new ArrayList<>();

    /** No writer of a lower term is listened to. */
    long term;

    /** Who may write to it; null: nobody is connected. */
    SimulatedWriter session;

    Set<Integer> content() {
        Set<Integer> content = new TreeSet<>(before);
        content.addAll(tail);
        return content;
    }

    OwnCopy own() {
        return new OwnCopy(whole, cur, next);
    }

    boolean mayBecome(long number) {
        return own().mayBecome(number);
    }

    void begin(long number, Set<Integer> content) {
        cur = number;
        next = 0;
        whole = true;
        before.clear();
        before.addAll(content);
        tail.clear();
    }

    /** What it was prepared for has happened. */
    void adoptNext() {
        begin(next, content());
    }

    void restore(SimulatedCopy old) {
        begin(old.cur, old.before);
        tail.addAll(old.tail);
        whole = old.whole;
        next = old.next;
        term = old.term;
        session = null;
    }

    @Override
    public String toString() {
        return (whole ? "" : "SYNCING ")
                + cur
                + (next == 0 ? "" : ">" + next)
                + "="
                + content()
                + " term "
                + term;
    }
}
