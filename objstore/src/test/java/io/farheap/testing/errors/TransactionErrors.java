package io.farheap.testing.errors;

import io.farheap.testing.inject.InjectingLoader;
import java.util.Set;

/** Which classes of a pool meet errors. */
final class TransactionErrors {
    private static final Set<String> PACKAGES =
            Set.of(
                    "io.farheap",
                    "io.farheap.base",
                    "io.farheap.pmemobj",
                    "io.farheap.engine",
                    "io.farheap.heap",
                    "io.farheap.ulog",
                    "io.farheap.list",
                    "io.farheap.memory");

    private static final Set<String> ENDS =
            Set.of(
                    "io.farheap.ManualTransaction.close",
                    "io.farheap.list.ListHead.unlock",
                    "io.farheap.engine.LaneTransaction.abort",
                    "io.farheap.engine.LaneTransaction.abortLevel",
                    "io.farheap.engine.PoolEngine.unpin",
                    "io.farheap.engine.LaneAssignment.unpin",
                    "io.farheap.engine.LaneAssignment.release",
                    "io.farheap.engine.LanePool.release",
                    "io.farheap.engine.ActionList.cancel",
                    "io.farheap.engine.StackReserve.require");

    private TransactionErrors() {}

    static InjectingLoader loader() {
        return new InjectingLoader(
                name -> PACKAGES.contains(name.substring(0, name.lastIndexOf('.'))), ENDS);
    }
}
