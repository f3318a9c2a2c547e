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

    /** Of what no thread of this process takes part in. */
    static void load() {
        OUT.printf(
                "  cores: %d; load average: %.2f%n",
                Runtime.getRuntime().availableProcessors(),
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
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

    /** Ours and theirs, in nanoseconds, in one line with the ratio. */
    static void beside(
            String what, double ourMedian, double ourTail, double theirMedian, double theirTail) {
        OUT.printf(
                "  %-58s p50 %6.2f µs  p99 %7.2f µs   C %6.2f  %7.2f   ratio %5.2f  %5.2f%n",
                what,
                ourMedian / 1000,
                ourTail / 1000,
                theirMedian / 1000,
                theirTail / 1000,
                ourMedian / theirMedian,
                ourTail / theirTail);
    }

    static void beside(String what, Histogram ours, Histogram theirs) {
        beside(
                what,
                ours.getValueAtPercentile(50),
                ours.getValueAtPercentile(99),
                theirs.getValueAtPercentile(50),
                theirs.getValueAtPercentile(99));
    }

    static void alone(String what, Histogram times) {
        alone(what, times.getValueAtPercentile(50), times.getValueAtPercentile(99));
    }

    /** Ours where there is nothing to put beside. */
    static void alone(String what, double median, double tail) {
        OUT.printf("  %-58s p50 %6.2f µs  p99 %7.2f µs%n", what, median / 1000, tail / 1000);
    }

    static long allocatedByThisThread() {
        return THREADS.getCurrentThreadAllocatedBytes();
    }

    static long cpuOfThisThread() {
        return THREADS.getCurrentThreadCpuTime();
    }

    static double micros(Histogram times, double percentile) {
        return times.getValueAtPercentile(percentile) / 1000.0;
    }

    static void text(String format, Object... values) {
        OUT.printf("  " + format + "%n", values);
    }
}
