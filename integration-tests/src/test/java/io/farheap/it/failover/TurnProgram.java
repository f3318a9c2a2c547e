package io.farheap.it.failover;

import io.farheap.ObjectPool;
import io.farheap.availability.HighAvailability;
import io.farheap.availability.Leadership;
import io.farheap.base.FarheapException;
import io.farheap.base.PoolDeposedException;
import io.farheap.base.Ref;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * What runs on each node: waits for its turn, appends numbers to the pool for as long as that
 * lasts, one commit each, and waits again. Each number is kept with the term that it was committed
 * in.
 *
 * <p>It says {@code waiting WHY}, {@code open COUNT TERM}, {@code added N TERM BEGUN RETURNED} for
 * each commit that returned, with the machine's monotonic clock in nanoseconds, {@code failed WHY},
 * {@code deposed WHY}, {@code lost WHY}, {@code closed}. Of its standard input it takes {@code
 * show}, answered by {@code has COUNT TERM:FROM-TO ...}, and {@code close}, which ends it.
 */
public final class TurnProgram {
    private static final String LAYOUT = "numbers";
    private static final int MOST = 400_000;
    private static final int TERM_SHIFT = 40;
    private static final long PAUSE_NANOS = Duration.ofMillis(4).toNanos();

    private final HighAvailability here;
    private final Path set;
    private volatile boolean ending;
    private volatile boolean show;

    private TurnProgram(HighAvailability here, Path set) {
        this.here = here;
        this.set = set;
    }

    /**
     * @param args create or open, the node, its directory, the store, the least number of copies,
     *     the poolset file to open, that of this node's copy
     */
    public static void main(String[] args) {
        Path directory = Path.of(args[2]);
        HighAvailability here =
                HighAvailability.of(args[3], "numbers")
                        .node(args[1])
                        .copy(directory.resolve(args[6]))
                        .minCopies(Integer.parseInt(args[4]))
                        .ttl(Duration.ofSeconds(5))
                        .onWaiting(why -> say("waiting " + why));
        TurnProgram program = new TurnProgram(here, directory.resolve(args[5]));
        Thread.ofPlatform().daemon().start(program::listen);
        program.run(args[0].equals("create"));
    }

    private void listen() {
        try {
            BufferedReader orders =
                    new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                if (order.equals("show")) {
                    show = true;
                } else if (order.equals("close")) {
                    ending = true;
                }
            }
        } catch (IOException e) {
            say("failed " + e);
        }
    }

    private void run(boolean create) {
        Supplier<ObjectPool> creating = () -> ObjectPool.create(set, LAYOUT);
        Supplier<ObjectPool> opening = () -> ObjectPool.open(set, LAYOUT);
        boolean first = create;
        while (!ending) {
            try (Leadership<ObjectPool> turn = first ? here.create(creating) : here.open(opening)) {
                first = false;
                serve(turn);
            } catch (FarheapException e) {
                say("failed " + e.getMessage());
                return;
            }
            say("closed");
        }
    }

    private void serve(Leadership<ObjectPool> turn) {
        AtomicBoolean over = new AtomicBoolean();
        turn.onLost(
                why -> {
                    over.set(true);
                    say("lost " + why);
                });
        ObjectPool pool = turn.pool();
        Ref root = pool.root(8 + 8L * MOST);
        say("open " + pool.getLong(root, 0) + " " + turn.term());
        while (!ending && !over.get() && add(pool, root, turn.term())) {
            if (show) {
                show = false;
                say("has " + content(pool, root));
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** False: the turn is over. */
    private static boolean add(ObjectPool pool, Ref root, long term) {
        long begun = System.nanoTime();
        try {
            long next = 1 + pool.getLong(root, 0);
            pool.transaction(
                    tx -> {
                        tx.setLong(root, 8 * next, term << TERM_SHIFT | next);
                        tx.setLong(root, 0, next);
                    });
            say("added " + next + " " + term + " " + begun + " " + System.nanoTime());
            return true;
        } catch (PoolDeposedException e) {
            say("deposed " + e.getMessage());
            return false;
        } catch (FarheapException e) {
            say("failed " + e.getMessage());
            return true;
        }
    }

    private static String content(ObjectPool pool, Ref root) {
        long count = pool.getLong(root, 0);
        StringBuilder ranges = new StringBuilder(Long.toString(count));
        long from = 1;
        for (long i = 1; i <= count; i++) {
            long word = pool.getLong(root, 8 * i);
            long term = word >>> TERM_SHIFT;
            if ((word & (1L << TERM_SHIFT) - 1) != i) {
                return "a hole at " + i;
            }
            if (i == count || pool.getLong(root, 8 * (i + 1)) >>> TERM_SHIFT != term) {
                ranges.append(" " + term + ":" + from + "-" + i);
                from = i + 1;
            }
        }
        return ranges.toString();
    }

    private static synchronized void say(String line) {
        System.out.println(line.replace('\n', ' '));
        System.out.flush();
    }
}
