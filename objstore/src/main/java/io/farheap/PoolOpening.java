package io.farheap;

import io.farheap.base.FarheapException;
import io.farheap.base.PersistenceDomain;
import io.farheap.check.OpeningCheck;
import io.farheap.engine.ClassPathReplicas;
import io.farheap.engine.FoundContent;
import io.farheap.engine.PoolBoot;
import io.farheap.engine.PoolEngine;
import io.farheap.engine.TxSettings;
import io.farheap.heap.HeapFormat;
import io.farheap.layout.Descriptor;
import io.farheap.layout.LaneLayout;
import io.farheap.layout.PoolUuid;
import io.farheap.memory.MappedImage;
import io.farheap.memory.PoolMemory;
import io.farheap.pool.Journaling;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolSource;
import io.farheap.pool.SideFiles;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.RemoteReplica;
import io.farheap.spi.ReplicaSinkProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * From files to an {@link ObjectPool}: what fails on the way leaves no file of the pool locked or
 * mapped, and of a new pool none at all.
 */
final class PoolOpening {
    private final PoolSource source;
    private final PoolOptions options;
    private final ReplicaSinkProvider replicas;

    /**
     * @param wanted what the program asks for; the environment is asked, too
     */
    PoolOpening(PoolSource source, PoolOptions wanted) {
        this.source = source;
        Objects.requireNonNull(wanted, "options");
        this.options = ControlQueries.ofEnvironment(wanted, System.getenv());
        this.replicas = ClassPathReplicas.of(source.path().toAbsolutePath());
    }

    ObjectPool create(String layout) {
        return create(layout, files -> {});
    }

    /** What fails until the files' locks go removes them; later another program may have them. */
    void createClosed(String layout) {
        PoolFiles[] made = new PoolFiles[1];
        ObjectPool pool = create(layout, files -> made[0] = files);
        PoolFiles files = made[0];
        files.removeUnlessClosed();
        PoolUuid uuid = files.poolsetUuid();
        List<RemoteReplica> remotes = files.remotes();
        try {
            pool.closeNew();
        } catch (RuntimeException | Error failure) {
            if (files.areRemoved()) {
                discard(uuid, remotes, failure);
                throw failure;
            }
            if (failure instanceof FarheapException known) {
                throw complete(known);
            }
            throw failure;
        }
    }

    private static FarheapException complete(FarheapException failure) {
        return new FarheapException(
                failure.category(),
                failure.getMessage()
                        + "; the pool is complete all the same and was not removed, as"
                        + " another program may have opened it by now: use it as it is",
                failure);
    }

    private void discard(PoolUuid uuid, List<RemoteReplica> remotes, Throwable failure) {
        if (!remotes.isEmpty()) {
            replicas.discard(source.path(), uuid, remotes, options.replication(), failure);
        }
    }

    private ObjectPool create(String layout, Consumer<PoolFiles> made) {
        Objects.requireNonNull(layout, "layout");
        PoolSet set = source.forCreation();
        requireAllowed(set);
        List<RemoteReplica> named = set.remoteReplicas();
        if (!named.isEmpty()) {
            replicas.requireAbsent(source.path(), named, options.replication());
        }
        PoolFiles files =
                mapped(
                        () ->
                                PoolFiles.create(
                                        source,
                                        options.forFiles(layout),
                                        journaling(),
                                        PoolOpening::format));
        PoolUuid uuid = files.poolsetUuid();
        List<RemoteReplica> remotes = files.remotes();
        made.accept(files);
        try {
            return start(files, null, files::removeAfter);
        } catch (Throwable failure) {
            discard(uuid, remotes, failure);
            throw failure;
        }
    }

    /** Writes lanes and heap of a new pool, whose descriptor is there; all durable after it. */
    static void format(PoolMemory memory) {
        Descriptor descriptor = new Descriptor(memory);
        LaneLayout.format(memory);
        HeapFormat.format(memory, descriptor.heapOffset(), descriptor.heapSize());
    }

    ObjectPool open(String layout) {
        if (!options.copyOnWrite()) {
            requireAllowed(source.existing());
        }
        OpeningCheck check = new OpeningCheck();
        PoolFiles files =
                mapped(
                        () ->
                                options.copyOnWrite()
                                        ? PoolFiles.openVanishing(source, layout, check)
                                        : PoolFiles.open(source, layout, check, journaling()));
        return open(files, check.found());
    }

    /**
     * Whoever writes a pool under automatic fail-over has its switches recorded. What is committed
     * past the record is in nobody's set, and the next writer copies over it.
     */
    private void requireAllowed(PoolSet set) {
        if (set.remoteReplicas().isEmpty()) {
            replicas.goesAlone(source.path());
        }
        Optional<Path> term = SideFiles.of(set).terms().stream().filter(Files::exists).findFirst();
        if (!ClassPathReplicas.areReplaced() && term.isPresent()) {
            throw FarheapException.wrongUse(
                    "%s is under automatic fail-over, as %s says: open it by HighAvailability, when"
                            + " it is this node's turn; the next writer would copy over what is"
                            + " committed past the record in the store. Only where that record is"
                            + " lost for good, or the pool is: move that file away",
                    source.path(), term.get());
        }
    }

    private Journaling journaling() {
        return Journaling.of(options.persistence(), options.journal(), System.getenv());
    }

    private PoolFiles mapped(Supplier<PoolFiles> opening) {
        PersistenceDomain said = options.persistence();
        return said == null || said == PersistenceDomain.JOURNAL
                ? opening.get()
                : MappedImage.countingAs(said, opening);
    }

    /**
     * Goes on with files that are open.
     *
     * @param found by a check of them; null: there was none
     */
    ObjectPool open(PoolFiles files, FoundContent found) {
        if (options.prefaultAtOpen()) {
            try {
                files.prefault();
            } catch (Throwable failure) {
                close(files, failure);
                throw failure;
            }
        }
        return start(files, found, failure -> close(files, failure));
    }

    /**
     * @param letGo has the files when that fails
     */
    private ObjectPool start(PoolFiles files, FoundContent found, Consumer<Throwable> letGo) {
        try {
            OpenPools.claim(files.poolId(), source.path());
        } catch (Throwable failure) {
            letGo.accept(failure);
            throw failure;
        }
        PoolEngine engine = null;
        try {
            engine = engine(files, found);
            files.giveBack(engine::whileBrieflyQuiet);
            ObjectPool pool = new ObjectPool(engine, files.poolId(), files, options);
            options.applyTo(pool);
            OpenPools.add(pool);
            pool.offer();
            return pool;
        } catch (Throwable failure) {
            OpenPools.release(files.poolId(), null);
            if (engine != null) {
                close(engine, failure);
            }
            letGo.accept(failure);
            throw failure;
        }
    }

    private PoolEngine engine(PoolFiles files, FoundContent found) {
        if (files.hasCopies()) {
            OpeningCheck.alignReplicas(files.memory());
        }
        return PoolBoot.ofFiles(
                source,
                files,
                replicas,
                options::replicaPolicy,
                options.replication(),
                options.over(TxSettings.fromEnvironment(System.getenv())),
                found,
                options.heapSettings());
    }

    /** Whatever goes wrong with that, the first failure is what the caller hears of. */
    private static void close(AutoCloseable what, Throwable failure) {
        try {
            what.close();
        } catch (Exception | Error second) {
            failure.addSuppressed(second);
        }
    }
}
