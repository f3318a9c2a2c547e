package io.farheap.benchmarks;

import io.farheap.ObjectPool;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
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
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.runner.IterationType;

/**
 * One operation again and again, each thread with objects of its own; after each iteration the C
 * program of the same name has its turn, so that whatever else the machine does meets both.
 */
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class OperationBenchmark {
    /** How many operations of the C program there are per iteration, and as many before them. */
    static final String NATIVE_COUNT = "farheap.benchmark.native";

    /** What all threads share: the pool, and what the C program took. */
    @State(Scope.Benchmark)
    public static class Shared {
        /** Whether each pool has a replica in another file. */
        @Param({"false", "true"})
        public boolean replica;

        private final Histogram natives = Figures.histogram();
        private final int count = Integer.getInteger(NATIVE_COUNT, 1);
        private Site site;
        private ObjectPool pool;
        private Optional<NativeProgram> program;

        @Setup(Level.Trial)
        public void open() {
            site = Site.ofParent();
            pool = site.openLocal(replica);
            program = NativeProgram.compiled(site, "operations");
        }

        @TearDown(Level.Iteration)
        public void theirTurn(BenchmarkParams benchmark, IterationParams iteration)
                throws IOException {
            if (program.isEmpty() || iteration.getType() != IterationType.MEASUREMENT) {
                return;
            }
            program.get()
                    .run(
                            line -> natives.recordValue(Long.parseLong(line)),
                            Operations.nativeName(benchmark.getBenchmark()),
                            site.nativePool(replica),
                            benchmark.getThreads(),
                            count,
                            count);
        }

        @TearDown(Level.Trial)
        public void close(BenchmarkParams benchmark) throws IOException {
            pool.close();
            Operations.keepNatives(site, benchmark, replica, natives);
        }
    }

    /** What a thread works on. */
    @State(Scope.Thread)
    public static class Own {
        private OperationBodies bodies;

        @Setup(Level.Trial)
        public void allocate(Shared shared) {
            bodies = new OperationBodies(shared.pool);
        }
    }

    @Benchmark
    public void tx64(Own own) {
        own.bodies.write(64);
    }

    @Benchmark
    public void tx4k(Own own) {
        own.bodies.write(4096);
    }

    @Benchmark
    public void tx64inPlace(Own own) {
        own.bodies.storeInPlace(64);
    }

    @Benchmark
    public void tx4kinPlace(Own own) {
        own.bodies.storeInPlace(4096);
    }

    @Benchmark
    public void txAlloc(Own own) {
        own.bodies.exchange();
    }

    @Benchmark
    public void atomicAlloc(Own own) {
        own.bodies.allocateAndFree();
    }

    @Benchmark
    public void persist64(Own own) {
        own.bodies.persist(64);
    }

    @Benchmark
    public void write64(Own own) {
        own.bodies.writeAtomically(64);
    }

    /** The same beside all that has to reach the medium for it. */
    @Benchmark
    public void write64logged(Own own) {
        own.bodies.writeAtomically(64);
    }
}
