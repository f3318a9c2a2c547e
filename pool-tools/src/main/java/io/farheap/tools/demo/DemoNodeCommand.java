package io.farheap.tools.demo;

import io.farheap.ObjectPool;
import io.farheap.availability.HighAvailability;
import io.farheap.availability.Leadership;
import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * What runs on each node of the demo of fail-over: waits for its turn, and appends numbers for as
 * long as that lasts. Says {@code waiting WHY}, {@code open COUNT WRONG TERM}, and {@code N} for
 * each commit that returned.
 */
@Command(name = "node", hidden = true, description = "Appends numbers when it is its turn.")
final class DemoNodeCommand implements Callable<Integer> {
    /** Shorter than usual: somebody watches. */
    static final Duration TTL = Duration.ofSeconds(5);

    static final int MIN_COPIES = 2;

    private static final String LAYOUT = "numbers";
    private static final int MOST = 100_000;
    private static final long PAUSE_NANOS = Duration.ofMillis(2).toNanos();

    /** Of no two numbers are the values equal. */
    private static final long FACTOR = 0x9E3779B97F4A7C15L;

    @Parameters(index = "0", paramLabel = "NODE")
    private String node;

    @Parameters(index = "1", paramLabel = "DIR")
    private Path directory;

    @Option(names = "--store", required = true)
    private String store;

    @Option(names = "--create")
    private boolean create;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
        Path set = HaDemoSite.writersSet(directory);
        HighAvailability here =
                HighAvailability.of(store, HaDemoSite.POOL)
                        .node(node)
                        .copy(HaDemoSite.copysSet(directory))
                        .minCopies(MIN_COPIES)
                        .ttl(TTL)
                        .onWaiting(why -> say("waiting " + why));
        while (true) {
            try (Leadership<ObjectPool> turn =
                    create
                            ? here.create(() -> ObjectPool.create(set, LAYOUT))
                            : here.open(() -> ObjectPool.open(set, LAYOUT))) {
                create = false;
                append(turn);
            }
        }
    }

    private void append(Leadership<ObjectPool> turn) {
        AtomicBoolean over = new AtomicBoolean();
        turn.onLost(why -> over.set(true));
        ObjectPool pool = turn.pool();
        Ref numbers = pool.root(8 + 8L * MOST);
        long count = pool.getLong(numbers, 0);
        say("open " + count + " " + wrong(pool, numbers, count) + " " + turn.term());
        while (!over.get() && count < MOST) {
            long next = count + 1;
            try {
                pool.transaction(
                        tx -> {
                            tx.setLong(numbers, 8 * next, next * FACTOR);
                            tx.setLong(numbers, 0, next);
                        });
            } catch (FarheapException e) {
                say("failed " + e.getMessage());
                return; // as after any end: the next turn has what is there
            }
            count = next;
            say(Long.toString(next));
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private static long wrong(ObjectPool pool, Ref numbers, long count) {
        long wrong = 0;
        for (long n = 1; n <= count; n++) {
            wrong += pool.getLong(numbers, 8 * n) == n * FACTOR ? 0 : 1;
        }
        return wrong;
    }

    private synchronized void say(String line) {
        PrintWriter out = spec.commandLine().getOut();
        out.println(line.replace('\n', ' '));
        out.flush();
    }
}
