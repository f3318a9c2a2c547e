package io.farheap.benchmarks;

import com.sun.management.ThreadMXBean;
import io.farheap.replication.fabric.WaitStrategy;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import org.HdrHistogram.Histogram;

/** How latencies are kept and printed: times in nanoseconds, three digits. */
final class Figures {
    private static final int DIGITS = 3;
    private static final PrintStream OUT = System.out;

    /** Kept: looking it up allocates. */
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Figures() {}

    static Histogram histogram() {
        return new Histogram(DIGITS);
    }

    static void title(String title) {
        OUT.println();
        OUT.println(title);
    }

    /** The way of waiting and the load, which belong to every figure. */
    static void circumstances(WaitStrategy waiting, int committers) {
        OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();
        OUT.printf(
                "  waiting: %s; committing threads: %d; cores: %d; load average: %.2f%n",
                words(waiting),
                committers,
                Runtime.getRuntime().availableProcessors(),
                system.getSystemLoadAverage());
    }

    static String words(WaitStrategy waiting) {
        StringBuilder words = new StringBuilder();
        if (waiting.spinNanos() > 0) {
            words.append("spin ").append(waiting.spinNanos() / 1000).append(" µs, ");
        }
        if (waiting.yieldNanos() > 0) {
            words.append("yield ").append(waiting.yieldNanos() / 1000).append(" µs, ");
        }
        return words + "block";
    }

    static void line(String what, Histogram times) {
        OUT.printf(
                "  %-44s p50 %8.2f µs   p99 %8.2f µs%n",
                what, micros(times, 50), micros(times, 99));
    }

    static void ratio(String what, Histogram times, Histogram to) {
        OUT.printf(
                "  %-44s p50 %8.2f      p99 %8.2f%n",
                what, micros(times, 50) / micros(to, 50), micros(times, 99) / micros(to, 99));
    }

    static long allocatedByThisThread() {
        return THREADS.getCurrentThreadAllocatedBytes();
    }

    static double micros(Histogram times, double percentile) {
        return times.getValueAtPercentile(percentile) / 1000.0;
    }

    static void text(String format, Object... values) {
        OUT.printf("  " + format + "%n", values);
    }
}
