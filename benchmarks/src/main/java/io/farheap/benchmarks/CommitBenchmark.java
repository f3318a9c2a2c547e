package io.farheap.benchmarks;

import io.farheap.ObjectPool;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** The 64 B transaction under JMH, for what it allocates: run with the gc profiler. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class CommitBenchmark {
    /** How many replicas. */
    @Param({"0", "1"})
    public int replicas;

    private ObjectPool pool;
    private SmallCommit commit;

    @Setup(Level.Trial)
    public void open() {
        Site site = Site.ofParent();
        pool = replicas == 0 ? site.openLocal(false) : site.openReplicated();
        commit = new SmallCommit(pool);
    }

    @TearDown(Level.Trial)
    public void close() {
        pool.close();
    }

    @Benchmark
    public void commit() {
        commit.run();
    }
}
