package io.farheap.simulation;

import io.farheap.replication.stream.LagBound;
import io.farheap.simulation.engine.World;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the threads tried and what they were told: the checkers' own memory, outside of every
 * simulated machine.
 */
final class Ledger {
    private final World world;
    private final LagBound bound;
    private final List<Account> accounts = new ArrayList<>();
    private long acknowledged;
    private long unknown;
    private long refused;
    private long stoppedNanos;

    /** A commit that returned, or was found to be there. */
    record Returned(Row row, long begun, long at) {}

    /** One thread's. */
    private static final class Account {
        private Row acknowledged = Row.NOTHING;
        private Row underWay;
        private long begun;
        private final List<Returned> returned = new ArrayList<>();
        private long lastAttempt;

        /** The last commit that returned to who had lost the pool by then. */
        private long late;

        private boolean adopted;

        /** What each attempt would leave that a replica may have: all since the acknowledged. */
        private final Map<Long, Row> attempts = new HashMap<>();
    }

    /**
     * @param threads how many commit
     * @param bound how far replicas may be behind that commits don't wait for
     */
    Ledger(World world, int threads, LagBound bound) {
        this.world = world;
        this.bound = bound;
        for (int i = 0; i < threads; i++) {
            accounts.add(new Account());
        }
    }

    int threads() {
        return accounts.size();
    }

    Row acknowledged(int thread) {
        return accounts.get(thread).acknowledged;
    }

    /** How many commits returned. */
    long acknowledged() {
        return acknowledged;
    }

    /** How many threw that they don't know. */
    long unknown() {
        return unknown;
    }

    /** How many were refused. */
    long refused() {
        return refused;
    }

    /** A thread is about to commit. */
    Row begin(int thread) {
        Account account = accounts.get(thread);
        Row row = account.acknowledged;
        long attempt = ++account.lastAttempt;
        int kind = world.random().nextInt(5);
        Row next =
                new Row(
                        row.count() + 1,
                        attempt,
                        row.shared() + (kind == 0 ? 1 : 0),
                        kind == 1 || kind == 2 ? attempt : row.objectOf());
        account.underWay = next;
        account.begun = world.now();
        account.attempts.put(attempt, next);
        return next;
    }

    /** The commit returned. */
    void acknowledge(int thread, Row row) {
        acknowledged++;
        settle(accounts.get(thread), row);
    }

    private void settle(Account account, Row row) {
        if (!row.equals(account.acknowledged)) {
            account.returned.add(new Returned(row, account.begun, world.now()));
        }
        account.acknowledged = row;
        account.underWay = null;
        account.attempts.keySet().removeIf(attempt -> attempt < row.attempt());
        account.attempts.put(row.attempt(), row);
    }

    /**
     * The commit threw; the pool must show what was there before.
     *
     * @param outcomeUnknown whether a replica may have it; else none does
     */
    void fail(int thread, boolean outcomeUnknown, Row shown) {
        Account account = accounts.get(thread);
        if (outcomeUnknown) {
            unknown++;
        } else {
            refused++;
            account.attempts.remove(account.lastAttempt); // no copy may ever show it
        }
        if (!shown.equals(account.acknowledged)) {
            throw new Violation(
                    "thread "
                            + thread
                            + ": a commit that failed left "
                            + shown
                            + " where "
                            + account.acknowledged
                            + " was acknowledged");
        }
        account.underWay = null;
    }

    /** The pool was opened again and shows this; what it shows counts from now on. */
    void recover(int thread, Row shown) {
        Account account = accounts.get(thread);
        if (!shown.equals(account.acknowledged) && !shown.equals(account.underWay)) {
            throw new Violation(
                    "thread "
                            + thread
                            + ": the pool opened with "
                            + shown
                            + ", acknowledged was "
                            + account.acknowledged
                            + ", under way "
                            + account.underWay);
        }
        settle(account, shown);
    }

    /** A commit returned to a client that may have lost the pool before it heard of that. */
    void acknowledgeLate(int thread, Row row) {
        Account account = accounts.get(thread);
        account.late = Math.max(account.late, row.attempt());
        requireLate(account, account.acknowledged);
    }

    private static void requireLate(Account account, Row shown) {
        if (account.adopted && shown.attempt() < account.late) {
            throw new Violation(
                    "it shows "
                            + shown
                            + " and lacks Row of attempt "
                            + account.late
                            + ", which returned to the old owner");
        }
    }

    /**
     * A promoted copy was opened for the first time: every commit that returned is in it, and
     * perhaps some that threw; what it shows counts from now on.
     */
    void adopt(int thread, Row shown) {
        Account account = accounts.get(thread);
        if (account.adopted) {
            recover(thread, shown);
            return;
        }
        String fault = fault(thread, shown);
        if (fault != null) {
            throw new Violation("the promoted pool: " + fault);
        }
        account.adopted = true;
        settle(account, shown);
        requireLate(account, shown);
    }

    /** The program was stopped for so long: its clocks ran on. */
    void addStopped(long nanos) {
        stoppedNanos += nanos;
    }

    /** What a copy lacks that may be behind. */
    Lack lack() {
        return new Lack(this, bound, stoppedNanos);
    }

    /** The commits that returned after the one that left this row; null: none did. */
    List<Returned> after(int thread, Row row) {
        List<Returned> all = accounts.get(thread).returned;
        for (int i = all.size() - 1; i >= 0; i--) {
            if (all.get(i).row().equals(row)) {
                return all.subList(i + 1, all.size());
            }
        }
        return row.equals(Row.NOTHING) ? all : null;
    }

    /**
     * Whether a copy that claims to be current may show this.
     *
     * @return null, or what is wrong
     */
    String fault(int thread, Row shown) {
        Account account = accounts.get(thread);
        if (shown.attempt() < account.acknowledged.attempt()) {
            return "thread "
                    + thread
                    + ": it shows "
                    + shown
                    + " and lacks "
                    + account.acknowledged
                    + ", which was acknowledged";
        }
        Row written = account.attempts.getOrDefault(shown.attempt(), Row.NOTHING);
        return shown.equals(written)
                ? null
                : "thread " + thread + ": it shows " + shown + ", written was " + written;
    }
}
