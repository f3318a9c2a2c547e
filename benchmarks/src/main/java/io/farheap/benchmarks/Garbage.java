package io.farheap.benchmarks;

import java.util.Collection;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** What a commit leaves to the garbage collector in the steady state, by JMH's gc profiler. */
final class Garbage {
    private static final String PER_COMMIT = "gc.alloc.rate.norm";

    private Garbage() {}

    static void run(int millis) throws RunnerException {
        Collection<RunResult> results =
                new Runner(
                                new OptionsBuilder()
                                        .include(CommitBenchmark.class.getSimpleName())
                                        .addProfiler(GCProfiler.class)
                                        .verbosity(VerboseMode.SILENT)
                                        .forks(1)
                                        .warmupIterations(3)
                                        .warmupTime(TimeValue.milliseconds(millis))
                                        .measurementIterations(3)
                                        .measurementTime(TimeValue.milliseconds(millis))
                                        .build())
                        .run();
        Figures.circumstances(Site.waiting(), 1);
        for (RunResult result : results) {
            Figures.text(
                    "%s replicas: %.3f bytes of garbage per commit (%.2f µs)",
                    result.getParams().getParam("replicas"),
                    result.getSecondaryResults().get(PER_COMMIT).getScore(),
                    result.getPrimaryResult().getScore());
        }
    }
}
