package io.farheap.simulation;

import io.farheap.simulation.engine.World;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the programs of all nodes tried and what they were told, by thread: the checkers' own
 * memory. Several programs may commit at a time, as long as the old ones have not heard of the new
 * one. Each attempt knows which row it went out from: so it is known which attempts a row has in
 * it.
 */
final class ClusterLedger {
    private final World world;
    private final List<Account> accounts = new ArrayList<>();
    private long lastAttempt;
    private long acknowledged;
    private long unknown;
    private long refused;

    /** The newest writer's term, of those that have opened the pool. */
    private long openedTerm = 1;

    /** A change that somebody wanted. */
    private static final class Attempt {
        private final Row row;
        private final Attempt from;
        private boolean refused;

        Attempt(Row row, Attempt from) {
            this.row = row;
            this.from = from;
        }

        boolean has(Attempt other) {
            Attempt one = this;
            while (one != null && one.row.attempt() > other.row.attempt()) {
                one = one.from;
            }
            return one == other;
        }
    }

    private static final class Account {
        private final Map<Long, Attempt> attempts = new HashMap<>();
        private Attempt acknowledged = new Attempt(Row.NOTHING, null);

        /** In the pool of the newest writer, when it was opened. */
        private Attempt opened = acknowledged;

        Account() {
            attempts.put(0L, acknowledged);
        }
    }

    ClusterLedger(World world, int threads) {
        this.world = world;
        for (int i = 0; i < threads; i++) {
            accounts.add(new Account());
        }
    }

    int threads() {
        return accounts.size();
    }

    long acknowledged() {
        return acknowledged;
    }

    @Override
    public String toString() {
        return String.format(
                "%d acknowledged, %d unknown, %d refused, %d terms",
                acknowledged, unknown, refused, openedTerm);
    }

    /** A thread is about to commit what follows from this. */
    Row begin(int thread, Row row) {
        Account account = accounts.get(thread);
        Attempt from = account.attempts.get(row.attempt());
        if (from == null || !from.row.equals(row)) {
            throw new Violation("thread " + thread + ": the pool shows " + row);
        }
        long attempt = ++lastAttempt;
        int kind = world.random().nextInt(5);
        Row next =
                new Row(
                        row.count() + 1,
                        attempt,
                        row.shared() + (kind == 0 ? 1 : 0),
                        kind == 1 || kind == 2 ? attempt : row.objectOf());
        account.attempts.put(attempt, new Attempt(next, from));
        return next;
    }

    /** The commit returned to a writer of that term. */
    void acknowledge(int thread, Row row, long term) {
        acknowledged++;
        Account account = accounts.get(thread);
        Attempt done = account.attempts.get(row.attempt());
        if (term < openedTerm && !account.opened.has(done)) {
            throw new Violation(
                    String.format(
                            "thread %d: acknowledged in term %d: %s, which the pool of term %d"
                                    + " lacks: it has %s",
                            thread, term, row, openedTerm, account.opened.row));
        }
        if (done.has(account.acknowledged)) {
            account.acknowledged = done;
        } else if (!account.acknowledged.has(done)) {
            throw new Violation(
                    String.format(
                            "thread %d: acknowledged in term %d: %s, beside %s",
                            thread, term, row, account.acknowledged.row));
        }
    }

    /**
     * The commit threw.
     *
     * @param outcomeUnknown whether a copy may have it; else none does
     */
    void fail(int thread, Row row, boolean outcomeUnknown) {
        unknown += outcomeUnknown ? 1 : 0;
        refused += outcomeUnknown ? 0 : 1;
        accounts.get(thread).attempts.get(row.attempt()).refused |= !outcomeUnknown;
    }

    /** Whether nobody has opened the pool in a later term: who sleeps meanwhile is late. */
    boolean isNewest(long term) {
        return term >= openedTerm;
    }

    /** The pool was opened in that term, the newest one, and shows this. */
    void opened(int thread, Row shown, long term) {
        if (!isNewest(term)) {
            return; // it was stopped since it was asked
        }
        String fault = fault(thread, shown);
        if (fault != null) {
            throw new Violation("the pool opened in term " + term + ": " + fault);
        }
        openedTerm = term;
        accounts.get(thread).opened = accounts.get(thread).attempts.get(shown.attempt());
    }

    /**
     * Whether a copy that counts may show this.
     *
     * @return null, or what is wrong
     */
    String fault(int thread, Row shown) {
        Account account = accounts.get(thread);
        Attempt attempt = account.attempts.get(shown.attempt());
        if (attempt == null || !attempt.row.equals(shown)) {
            return "thread " + thread + ": it shows " + shown + ", which nobody wrote";
        }
        for (Attempt one = attempt; one != null; one = one.from) {
            if (one.refused) {
                return "thread " + thread + ": it has " + one.row + ", which was refused";
            }
        }
        return attempt.has(account.acknowledged)
                ? null
                : "thread "
                        + thread
                        + ": it shows "
                        + shown
                        + " and lacks "
                        + account.acknowledged.row
                        + ", which was acknowledged";
    }
}
