package io.farheap.it.readers;

import io.farheap.ObjectPool;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;

/**
 * Moves money all the time, and tells of some commits. Argument: the pool. It is told {@code
 * figures} and {@code close}, and tells lines:
 *
 * <pre>
 * committed POSITION NUMBER       that transaction has returned
 * figures COMMITS P50 P99 MAX     since the last time; microseconds
 * </pre>
 */
final class WriterProgram {
    private static final int TOLD_EVERY = 50;
    private static final int KEPT = 1 << 20;

    private final long[] nanos = new long[KEPT];
    private int count;
    private volatile boolean over;

    private WriterProgram() {}

    public static void main(String[] args) throws Exception {
        WriterProgram program = new WriterProgram();
        try (ObjectPool pool = ObjectPool.openOrCreate(Path.of(args[0]), Accounts.LAYOUT)) {
            Accounts.create(pool);
            Thread work = Thread.ofPlatform().start(() -> program.work(pool));
            BufferedReader told =
                    new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            String line = told.readLine();
            while ("figures".equals(line)) {
                System.out.println(program.figures());
                line = told.readLine();
            }
            program.over = true;
            work.join();
        }
        System.out.println("closed");
    }

    private void work(ObjectPool pool) {
        Random random = new Random();
        long number = Accounts.number(pool);
        while (!over) {
            long begin = System.nanoTime();
            Accounts.move(pool, ++number, random);
            note(System.nanoTime() - begin);
            if (number % TOLD_EVERY == 0) {
                System.out.println("committed " + pool.position() + " " + number);
            }
        }
    }

    private synchronized void note(long time) {
        nanos[count++ % KEPT] = time;
    }

    private synchronized String figures() {
        long[] sorted = Arrays.copyOf(nanos, Math.min(count, KEPT));
        Arrays.sort(sorted);
        int all = count;
        count = 0;
        if (sorted.length == 0) {
            return "figures 0 0 0 0";
        }
        return "figures %d %d %d %d"
                .formatted(
                        all,
                        sorted[sorted.length / 2] / 1000,
                        sorted[(int) (sorted.length * 0.99)] / 1000,
                        sorted[sorted.length - 1] / 1000);
    }
}
