package io.farheap.tools.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * A line of how far work is, at most every five seconds, and one when all is done. Work that fails
 * has no last line: the command says why.
 */
final class ProgressLines implements Progress {
    static final long INTERVAL_NANOS = 5_000_000_000L;

    private static final double SECOND = 1e9;
    private static final double MIB = 1 << 20;

    private final PrintWriter out;
    private final JsonMapper json;
    private final String task;
    private final long total;
    private final LongSupplier clock;
    private final long begin;
    private long last;
    private long done;

    /**
     * One line for a program.
     *
     * @param bytes done so far
     * @param totalBytes to be done
     * @param bytesPerSecond on average since the task began
     * @param secondsLeft as far as that rate tells; null: nothing is done yet
     * @param seconds since the task began
     * @param done whether this is the task's last line
     */
    record Line(
            String task,
            long bytes,
            long totalBytes,
            long bytesPerSecond,
            Long secondsLeft,
            double seconds,
            boolean done) {
        String text() {
            String rate = String.format(Locale.ROOT, "%.1f MiB/s", bytesPerSecond / MIB);
            return done
                    ? String.format(
                            Locale.ROOT,
                            "%s: done, %.1f MiB in %.0f s, %s",
                            task,
                            bytes / MIB,
                            seconds,
                            rate)
                    : String.format(
                            Locale.ROOT,
                            "%s: %.1f MiB of %.1f MiB, %s%s",
                            task,
                            bytes / MIB,
                            totalBytes / MIB,
                            rate,
                            secondsLeft == null ? "" : ", " + secondsLeft + " s left");
        }
    }

    ProgressLines(PrintWriter out, boolean json, String task, long total, LongSupplier clock) {
        this.out = out;
        this.json = json ? new JsonMapper() : null;
        this.task = task;
        this.total = total;
        this.clock = clock;
        this.begin = clock.getAsLong();
        this.last = begin;
    }

    @Override
    public synchronized void reached(long step) {
        // What changes while it is copied is copied again.
        done = Math.min(step, total);
        long now = clock.getAsLong();
        if (now - last >= INTERVAL_NANOS) {
            last = now;
            print(line(now, false));
        }
    }

    @Override
    public synchronized void advanced(long steps) {
        reached(done + steps);
    }

    @Override
    public synchronized void complete() {
        done = total;
        print(line(clock.getAsLong(), true));
    }

    private Line line(long now, boolean isLast) {
        double seconds = (now - begin) / SECOND;
        double rate = seconds > 0 ? done / seconds : 0;
        Long left = null;
        if (done == total) {
            left = 0L;
        } else if (rate > 0) {
            left = (long) Math.ceil((total - done) / rate);
        }
        return new Line(task, done, total, (long) rate, left, seconds, isLast);
    }

    private void print(Line line) {
        if (json == null) {
            out.println(line.text());
        } else {
            try {
                out.println(json.writeValueAsString(line));
            } catch (JsonProcessingException e) {
                throw new IllegalStateException(e);
            }
        }
        out.flush();
    }

    @Override
    public void close() {}
}
