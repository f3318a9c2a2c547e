package io.farheap.benchmarks;

import io.farheap.ObjectPool;
import io.farheap.RawTransaction;
import io.farheap.Transaction;
import io.farheap.TransactionBody;
import io.farheap.base.Ref;
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

/**
 * A transaction that sets eight fields of an object of which the program keeps the offset: what it
 * costs to name it by a value of its own type in place of a long. Run with the gc profiler.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class ReferenceBenchmark {
    private static final int FIELDS = 8;
    private static final int TYPE = 1;

    /** By the bare offset, by a reference that is kept, or by one that is made for each field. */
    @Param({"bare", "kept", "made"})
    public String named;

    private ObjectPool pool;
    private Ref kept;
    private long object;
    private long poolId;
    private long count;
    private TransactionBody<RuntimeException> body;

    @Setup(Level.Trial)
    public void open() {
        pool = Site.ofParent().openLocal(false);
        kept = pool.compute(tx -> tx.allocateZeroed(FIELDS * Long.BYTES, TYPE));
        object = kept.offset();
        poolId = kept.poolId();
        body =
                switch (named) {
                    case "bare" -> this::bare;
                    case "kept" -> this::kept;
                    default -> this::made;
                };
    }

    @TearDown(Level.Trial)
    public void close() {
        pool.close();
    }

    @Benchmark
    public void setFields() {
        count++;
        pool.transaction(body);
    }

    private void bare(Transaction tx) {
        RawTransaction raw = tx.raw();
        for (int i = 0; i < FIELDS; i++) {
            raw.setLong(object, (long) i * Long.BYTES, count);
        }
    }

    private void kept(Transaction tx) {
        for (int i = 0; i < FIELDS; i++) {
            tx.setLong(kept, (long) i * Long.BYTES, count);
        }
    }

    private void made(Transaction tx) {
        for (int i = 0; i < FIELDS; i++) {
            tx.setLong(new Ref(poolId, object), (long) i * Long.BYTES, count);
        }
    }
}
