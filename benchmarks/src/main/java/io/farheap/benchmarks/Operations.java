package io.farheap.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Every {@link OperationBenchmark} beside libpmemobj, without and with a local replica. */
final class Operations {

    /**
     * @param name the method of {@link OperationBenchmark}
     * @param nativeName the operation of the C program
     */
    private record Row(String name, String nativeName, String words) {}

    private static final List<Row> ROWS =
            List.of(
                    new Row("tx64", "tx64", "transaction, 64 B written"),
                    new Row("tx64inPlace", "tx64", "transaction, 64 B snapshot in place"),
                    new Row("tx4k", "tx4k", "transaction, 4 KiB written"),
                    new Row("tx4kinPlace", "tx4k", "transaction, 4 KiB snapshot in place"),
                    new Row("txAlloc", "txalloc", "transaction, allocate + free 128 B"),
                    new Row("atomicAlloc", "atomicalloc", "atomic allocate + free 128 B"),
                    new Row("persist64", "persist64", "persist of 64 B"),
                    new Row("write64", "persist64", "64 B, atomic (C: only persisted)"),
                    new Row("write64logged", "logged64", "64 B, atomic (C: three persists)"));

    private static final int[] THREADS = {1, 2};
    private static final int[] THREADS_IF_QUICK = {2};

    /** With iterations of so few milliseconds there is no warm-up and no process for each. */
    static final int QUICK = 10;

    private Operations() {}

    /** The C program's name of what a benchmark, by its full name, measures. */
    static String nativeName(String benchmark) {
        String method = benchmark.substring(benchmark.lastIndexOf('.') + 1);
        return ROWS.stream()
                .filter(row -> row.name().equals(method))
                .findFirst()
                .orElseThrow()
                .nativeName();
    }

    /**
     * @param millis how long an iteration takes; of each measurement there are 5
     */
    static void run(Site site, int millis)
            throws RunnerException, IOException, InterruptedException {
        boolean beside = NativeProgram.compile(site, "operations").isPresent();
        for (int threads : millis <= QUICK ? THREADS_IF_QUICK : THREADS) {
            Collection<RunResult> results = measure(threads, millis);
            Figures.circumstances(Site.waiting(), threads);
            for (boolean replica : new boolean[] {false, true}) {
                for (Row row : ROWS) {
                    for (RunResult result : results) {
                        if (isOf(result, row, replica)) {
                            report(site, row, result, threads, replica, beside);
                        }
                    }
                }
            }
        }
        if (!beside) {
            Figures.text(NativeProgram.MISSING);
        }
    }

    private static Collection<RunResult> measure(int threads, int millis) throws RunnerException {
        boolean quick = millis <= QUICK;
        return new Runner(
                        new OptionsBuilder()
                                .include(OperationBenchmark.class.getSimpleName())
                                .verbosity(VerboseMode.SILENT)
                                .threads(threads)
                                .forks(quick ? 0 : 1)
                                .jvmArgsAppend(
                                        "-D" + OperationBenchmark.NATIVE_COUNT + "=" + 40 * millis)
                                .warmupIterations(quick ? 0 : 4)
                                .warmupTime(TimeValue.milliseconds(millis))
                                .measurementIterations(quick ? 1 : 5)
                                .measurementTime(TimeValue.milliseconds(millis))
                                .build())
                .run();
    }

    private static boolean isOf(RunResult result, Row row, boolean replica) {
        return result.getParams().getBenchmark().endsWith("." + row.name())
                && result.getParams().getParam("replica").equals(String.valueOf(replica));
    }

    private static void report(
            Site site, Row row, RunResult result, int threads, boolean replica, boolean beside)
            throws IOException {
        double ourMedian = result.getPrimaryResult().getStatistics().getPercentile(50);
        double ourTail = result.getPrimaryResult().getStatistics().getPercentile(99);
        String what =
                String.format(
                        Locale.ROOT,
                        "%s, %d thread%s%s",
                        row.words(),
                        threads,
                        threads == 1 ? "" : "s",
                        replica ? ", local replica" : "");
        if (!beside) {
            Figures.alone(what, ourMedian, ourTail);
            return;
        }
        String[] theirs =
                Files.readString(kept(site, row.name(), threads, replica)).trim().split(" ");
        Figures.beside(
                what,
                ourMedian,
                ourTail,
                Double.parseDouble(theirs[0]),
                Double.parseDouble(theirs[1]));
    }

    /** Leaves what the C program took to the process that reports. */
    static void keepNatives(
            Site site, BenchmarkParams benchmark, boolean replica, Histogram natives)
            throws IOException {
        String full = benchmark.getBenchmark();
        String name = full.substring(full.lastIndexOf('.') + 1);
        Files.writeString(
                kept(site, name, benchmark.getThreads(), replica),
                natives.getValueAtPercentile(50) + " " + natives.getValueAtPercentile(99) + "\n");
    }

    private static Path kept(Site site, String name, int threads, boolean replica) {
        return site.directory().resolve(name + "-" + threads + "-" + replica + ".figures");
    }
}
