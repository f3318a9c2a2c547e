package io.farheap.benchmarks;

import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** {@link ReferenceBenchmark}, where the compiler finds what need not be made, and where not. */
final class References {
    private static final String PER_OPERATION = "gc.alloc.rate.norm";

    private References() {}

    static void run(int millis) throws RunnerException {
        measure(millis, "-XX:+DoEscapeAnalysis", "with escape analysis");
        measure(millis, "-XX:-DoEscapeAnalysis", "without");
    }

    private static void measure(int millis, String flag, String words) throws RunnerException {
        for (RunResult result :
                new Runner(
                                new OptionsBuilder()
                                        .include(ReferenceBenchmark.class.getSimpleName())
                                        .addProfiler(GCProfiler.class)
                                        .jvmArgsAppend(flag)
                                        .verbosity(VerboseMode.SILENT)
                                        .forks(1)
                                        .warmupIterations(3)
                                        .warmupTime(TimeValue.milliseconds(millis))
                                        .measurementIterations(3)
                                        .measurementTime(TimeValue.milliseconds(millis))
                                        .build())
                        .run()) {
            Figures.text(
                    "%s, %s: %.1f bytes of garbage per transaction of 8 fields (%.2f µs)",
                    result.getParams().getParam("named"),
                    words,
                    result.getSecondaryResults().get(PER_OPERATION).getScore(),
                    result.getPrimaryResult().getScore());
        }
    }
}
