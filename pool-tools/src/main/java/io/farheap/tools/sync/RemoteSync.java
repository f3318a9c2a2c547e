package io.farheap.tools.sync;

import io.farheap.pool.PoolSource;
import io.farheap.tools.command.LongWork;
import java.util.List;
import java.util.function.Consumer;

/** What other commands have sync do: it brings the copies of a pool up that is whole here. */
public final class RemoteSync {
    private RemoteSync() {}

    /**
     * Finds out what is to be done, in order; changes nothing.
     *
     * @param say is told what is waited for
     * @throws io.farheap.base.FarheapException when nothing can, or nothing may, be done
     */
    public static List<String> steps(PoolSource source, Consumer<String> say)
            throws InterruptedException {
        try (SyncRun run = new SyncRun(source, SyncOptions.NONE, new LongWork())) {
            return run.plan(say).steps().stream().map(SyncStep::text).toList();
        }
    }

    /**
     * Does it.
     *
     * @param say is told what is waited for, and about each step before it is taken
     * @param work how fast it goes
     */
    public static void run(PoolSource source, Consumer<String> say, LongWork work)
            throws InterruptedException {
        try (SyncRun run = new SyncRun(source, SyncOptions.NONE, work)) {
            List<String> unused = run.run(run.plan(say), step -> say.accept(step.text()));
        }
    }
}
