package io.farheap.tools.sync;

import io.farheap.pool.PoolSource;
import java.util.List;
import java.util.function.Consumer;

/** What other commands have sync do: it brings the copies of a pool up that is whole here. */
public final class RemoteSync {
    private final SyncRun run;
    private final SyncPlan plan;

    private RemoteSync(SyncRun run, SyncPlan plan) {
        this.run = run;
        this.plan = plan;
    }

    /**
     * Finds out what is to be done; changes nothing.
     *
     * @param say is told what is waited for
     * @throws io.farheap.base.FarheapException when nothing can, or nothing may, be done
     */
    public static RemoteSync plan(PoolSource source, Consumer<String> say)
            throws InterruptedException {
        SyncRun run = new SyncRun(source, SyncOptions.NONE);
        return new RemoteSync(run, run.plan(say));
    }

    /** What will be done, in order. */
    public List<String> steps() {
        return plan.steps().stream().map(SyncStep::text).toList();
    }

    /**
     * Does it.
     *
     * @param before told about each step before it is taken
     */
    public void run(Consumer<String> before) {
        run.run(plan, step -> before.accept(step.text()));
    }
}
