package io.farheap.engine;

import io.farheap.base.FarheapException;
import io.farheap.layout.PoolUuid;
import io.farheap.poolset.RemoteReplica;
import io.farheap.spi.ReplicaSink;
import io.farheap.spi.ReplicaSinkProvider;
import io.farheap.spi.ReplicatedPool;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.Supplier;

/** The replicas that programs have: those of the replication module on the class path. */
public final class ClassPathReplicas {
    private static final ScopedValue<ReplicaSinkProvider> INSTEAD = ScopedValue.newInstance();

    private ClassPathReplicas() {}

    /**
     * Opens a pool whose replicas are attached in another way than programs have it: for tools.
     *
     * @param instead asked only if the pool has remote replicas
     */
    public static <T> T replacedBy(ReplicaSinkProvider instead, Supplier<T> opening) {
        return ScopedValue.where(INSTEAD, instead).call(opening::get);
    }

    /** Whether what is opened now has its replicas attached in another way. */
    public static boolean areReplaced() {
        return INSTEAD.isBound();
    }

    /** The replication module, which is found at run time or missed by name. */
    public static ReplicaSinkProvider of(Path pool) {
        return INSTEAD.isBound() ? INSTEAD.get() : found(pool);
    }

    private static ReplicaSinkProvider found(Path pool) {
        return new ReplicaSinkProvider() {
            @Override
            public ReplicaSink attach(ReplicatedPool view) {
                return provider()
                        .orElseThrow(() -> noReplication(pool, view.remotes().get(0)))
                        .attach(view);
            }

            @Override
            public void requireAbsent(
                    Path poolset, List<RemoteReplica> remotes, Map<String, String> settings) {
                provider()
                        .orElseThrow(() -> noReplication(pool, remotes.get(0)))
                        .requireAbsent(poolset, remotes, settings);
            }

            @Override
            public void discard(
                    Path poolset,
                    PoolUuid uuid,
                    List<RemoteReplica> remotes,
                    Map<String, String> settings,
                    Throwable failure) {
                provider().ifPresent(one -> one.discard(poolset, uuid, remotes, settings, failure));
            }
        };
    }

    private static Optional<ReplicaSinkProvider> provider() {
        return ServiceLoader.load(ReplicaSinkProvider.class).findFirst();
    }

    private static FarheapException noReplication(Path pool, RemoteReplica replica) {
        return FarheapException.environment(
                "%s names the remote replica %s, but io.farheap:replication is not on"
                        + " the class path; add that artifact.",
                pool, replica);
    }
}
