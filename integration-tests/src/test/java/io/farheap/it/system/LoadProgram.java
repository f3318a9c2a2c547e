package io.farheap.it.system;

import io.farheap.ObjectPool;
import io.farheap.base.CommitUnknownException;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.ReplicaStatus;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The program whose machine is lost: threads that commit, and say so. Arguments: pool, seed,
 * threads. It is told lines, and tells lines:
 *
 * <pre>
 * told   go, pause (again while it pauses: how many bytes now), status, close
 *        check                        before it goes: that the pool holds whole transactions
 * tells  domain NAME                  the pool's persistence domain
 *        found THREAD NUMBER          the last transaction that the pool has
 *        open BYTES                   what went to the replicas so far
 *        ack THREAD NUMBER            the transaction has returned
 *        unknown THREAD NUMBER WHY    it threw CommitUnknownException; it is tried again
 *        refused THREAD NUMBER WHY    it threw another exception about replicas; as above
 *        paused BYTES, checked, closed
 *        replica INDEX STATE LAG SLOWEST WHY, and what to do behind a vertical bar
 *        status COUNT                 so many replicas were told; SLOWEST is the longest commit
 *                                     that returned since the last time, in microseconds
 *        failed WHY                   anything else; it ends
 * </pre>
 */
final class LoadProgram {
    private static final long RETRY_NANOS = 5_000_000;

    private final FileOutputStream out = new FileOutputStream(FileDescriptor.out);
    private final long seed;
    private final int threads;
    private final AtomicLong slowestNanos = new AtomicLong();
    private volatile boolean paused;

    private LoadProgram(long seed, int threads) {
        this.seed = seed;
        this.threads = threads;
    }

    public static void main(String[] args) throws Exception {
        LoadProgram program = new LoadProgram(Long.parseLong(args[1]), Integer.parseInt(args[2]));
        try {
            program.run(Path.of(args[0]));
        } catch (FarheapException e) {
            program.tell("failed " + e.getMessage());
            System.exit(1);
        }
    }

    private void run(Path set) throws IOException, InterruptedException {
        BufferedReader told =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (ObjectPool pool = ObjectPool.openOrCreate(set, Ledgers.LAYOUT)) {
            long opening = pool.counters().replicaBytes();
            Ledgers ledgers = new Ledgers(pool, threads);
            tell("domain " + pool.persistenceDomain());
            for (int thread = 0; thread < threads; thread++) {
                tell("found " + thread + " " + ledgers.number(thread));
            }
            tell("open " + opening);
            String line = told.readLine();
            if ("check".equals(line)) {
                long[] unused = Ledgers.assertWhole(pool, seed, threads);
                tell("checked");
                line = told.readLine();
            }
            line = tellStatus(pool, told, line);
            while ("go".equals(line)) {
                List<Thread> running = start(ledgers);
                line = tellStatus(pool, told, told.readLine());
                paused = true;
                for (Thread thread : running) {
                    thread.join();
                }
                paused = false;
                while ("pause".equals(line)) {
                    tell("paused " + pool.counters().replicaBytes());
                    line = tellStatus(pool, told, told.readLine());
                }
            }
        }
        tell("closed");
    }

    /** As often as it is asked; returns the first line that asks for something else. */
    private String tellStatus(ObjectPool pool, BufferedReader told, String asked)
            throws IOException {
        String line = asked;
        while ("status".equals(line)) {
            long slowest = slowestNanos.getAndSet(0) / 1000;
            List<ReplicaStatus> replicas = pool.replicas();
            for (int i = 0; i < replicas.size(); i++) {
                ReplicaStatus replica = replicas.get(i);
                tell(
                        "replica %d %s %d %d %s|%s"
                                .formatted(
                                        i,
                                        replica.state(),
                                        replica.lagBytes(),
                                        slowest,
                                        replica.reason(),
                                        replica.nextStep()));
            }
            tell("status " + replicas.size());
            line = told.readLine();
        }
        return line;
    }

    private List<Thread> start(Ledgers ledgers) {
        List<Thread> running = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int thread = t;
            running.add(Thread.ofPlatform().start(() -> work(thread, ledgers)));
        }
        return running;
    }

    private void work(int thread, Ledgers ledgers) {
        try {
            LedgerScript script = LedgerScript.after(seed, thread, ledgers.number(thread));
            while (!paused) {
                long number = script.number() + 1;
                long begin = System.nanoTime();
                try {
                    ledgers.commit(thread, script);
                    slowestNanos.accumulateAndGet(System.nanoTime() - begin, Math::max);
                    tell("ack " + thread + " " + number);
                } catch (CommitUnknownException e) {
                    tell("unknown " + thread + " " + number + " " + e.getMessage());
                    LockSupport.parkNanos(RETRY_NANOS);
                } catch (FarheapException e) {
                    if (e.category() != Category.REPLICA) {
                        throw e;
                    }
                    tell("refused " + thread + " " + number + " " + e.getMessage());
                    LockSupport.parkNanos(RETRY_NANOS);
                }
            }
        } catch (RuntimeException | Error e) {
            e.printStackTrace();
            tell("failed " + e);
            Runtime.getRuntime().halt(2);
        }
    }

    /** One write, so that a kill leaves the whole line in the pipe or nothing of it. */
    private synchronized void tell(String line) {
        try {
            out.write((line.replace('\n', ' ') + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
