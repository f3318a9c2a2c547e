package io.farheap.testing;

import io.farheap.ObjectPool;
import io.farheap.base.FarheapException;
import io.farheap.testing.support.MemoryPool;
import java.util.Objects;

/**
 * Shows what a power loss leaves of what a program does to its pool, and has the program check it.
 *
 * <pre>{@code
 * PowerLoss.during(pool -> transfer(pool, 30))
 *         .startingWith(pool -> openAccounts(pool, 100))
 *         .onceReturned(pool -> assertThat(balance(pool, TO)).isEqualTo(30))
 *         .check(pool -> assertThat(sum(pool)).isEqualTo(100));
 * }</pre>
 *
 * <p>The change runs once, on a pool in the memory of a simulated machine ({@link
 * CrashSimulation}). After each of its stores, before each of its flushes and fences, and once it
 * has returned, the power is lost: what was not flushed and fenced may or may not be there, each
 * 8-byte word by itself. Every state that this may leave is tried where there are few of them, a
 * sample where there are many, and none twice. Each becomes the memory of another machine, on which
 * the pool is opened, which recovers it; its heap is checked for consistency; and the program's
 * check says whether it is one that the program can go on from. The check may change the pool.
 *
 * <p>Two runs with the same settings try the same states, unless the change runs threads of its own
 * or is not the same each time. The check runs on the thread of the change, in the midst of it: it
 * uses the pool it is given and nothing that the change holds.
 *
 * <p>Not simulated: the pool's files, local and remote replicas, growth. Instances are immutable.
 */
public final class PowerLoss {
    private static final long POOL_BYTES = 8 << 20;
    private static final int COMBINATIONS = 64;
    private static final int SAMPLES = 4;
    private static final Program NOTHING = pool -> {};

    /** What a program does with a pool. */
    @FunctionalInterface
    public interface Program {
        /** Uses the pool, and leaves it open. */
        void run(ObjectPool pool) throws Exception;
    }

    /**
     * How much was tried.
     *
     * @param moments at which the power was lost
     * @param states that were recovered and checked, all of them different
     */
    public record Tried(int moments, int states) {}

    /**
     * How much to try.
     *
     * @param combinations up to how many are all tried at one moment
     * @param samples how many otherwise, besides "all is lost" and "nothing is"
     */
    record Effort(long poolBytes, int combinations, int samples, long seed) {}

    private final Program change;
    private final Program setup;
    private final Program returned;
    private final Effort effort;

    private PowerLoss(Program change, Program setup, Program returned, Effort effort) {
        this.change = Objects.requireNonNull(change, "change");
        this.setup = Objects.requireNonNull(setup, "setup");
        this.returned = Objects.requireNonNull(returned, "check");
        this.effort = effort;
    }

    /** Loses power while {@code change} runs. */
    public static PowerLoss during(Program change) {
        return new PowerLoss(
                change, NOTHING, NOTHING, new Effort(POOL_BYTES, COMBINATIONS, SAMPLES, 1));
    }

    /** The pool that the change meets is what this makes of an empty one. */
    public PowerLoss startingWith(Program setup) {
        return new PowerLoss(change, setup, returned, effort);
    }

    /** What holds besides in each state that a power loss leaves once the change has returned. */
    public PowerLoss onceReturned(Program check) {
        return new PowerLoss(change, setup, check, effort);
    }

    /** The size of the pool in bytes, a multiple of 8; 8 MiB where it is not said. */
    public PowerLoss poolSize(long bytes) {
        return with(new Effort(bytes, effort.combinations, effort.samples, effort.seed));
    }

    /**
     * How many states are tried at one moment: all of them where there are at most {@code
     * combinations}, else {@code samples} of them besides the two in which all is lost and nothing
     * is. 64 and 4 where it is not said; the time grows with both.
     */
    public PowerLoss effort(int combinations, int samples) {
        return with(new Effort(effort.poolBytes, combinations, samples, effort.seed));
    }

    /** What samples are drawn by, 1 where it is not said: another one draws others. */
    public PowerLoss seed(long seed) {
        return with(new Effort(effort.poolBytes, effort.combinations, effort.samples, seed));
    }

    private PowerLoss with(Effort other) {
        return new PowerLoss(change, setup, returned, other);
    }

    /**
     * Tries it.
     *
     * @param check throws where a state is none that the program can go on from
     * @return how much was tried
     * @throws PowerLossError for the first state that could not be recovered or did not pass; the
     *     change has run to its end nevertheless
     * @throws FarheapException and whatever else the setup or the change themselves throw
     */
    public Tried check(Program check) throws Exception {
        Objects.requireNonNull(check, "check");
        CrashSimulation machine = new CrashSimulation(effort.poolBytes);
        MemoryPool.format(machine.memory(), "");
        try (ObjectPool pool = MemoryPool.open(machine.memory())) {
            setup.run(pool);
            LossEnumeration losses = new LossEnumeration(machine, effort, check);
            losses.during(() -> change.run(pool));
            losses.after(returned);
            return losses.tried();
        }
    }
}
