package io.farheap.tools.verify;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.engine.PoolEngine;
import io.farheap.engine.TxSettings;
import io.farheap.heap.HeapWalk;
import io.farheap.layout.Descriptor;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolInspection;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.PoolSet;
import io.farheap.spi.ReplicaSink;
import io.farheap.ulog.CommittedView;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The local copies of a closed pool, locked and mapped so that nothing reaches the files. Those of
 * the newest run are recovered together in memory, as opening would do it: what a crash left half
 * done is no difference. Indexes count the local replicas of the set.
 */
final class LocalImages implements AutoCloseable {
    private final PoolInspection found;
    private final List<PoolFiles> opened = new ArrayList<>();
    private final Map<Integer, MemorySegment> images = new HashMap<>();
    private final Map<Integer, String> damage = new HashMap<>();
    private final List<Integer> newest = new ArrayList<>();
    private CommittedView view;
    private PoolEngine engine;

    private LocalImages(PoolInspection found) {
        this.found = found;
    }

    /**
     * @param found with nothing in use
     * @param number the pool's; null: no copy here has one
     * @throws FarheapException ENVIRONMENT where a part is in use by now
     */
    static LocalImages open(PoolInspection found, Long number) {
        LocalImages local = new LocalImages(found);
        try {
            for (int r = 0; r < found.replicas().size(); r++) {
                boolean ofRun =
                        found.isHealthy(r)
                                && number != null
                                && found.replicas().get(r).get(0).runId() == number;
                if (ofRun) {
                    local.newest.add(r);
                }
            }
            local.openNewest();
            local.openOthers();
            return local;
        } catch (RuntimeException e) {
            local.close();
            throw e;
        }
    }

    /**
     * The first that can be recovered, and whose heap tells what means something, is the master.
     */
    private void openNewest() {
        for (int first = 0; view == null && first < newest.size(); first++) {
            List<Integer> order = new ArrayList<>(newest);
            order.add(0, order.remove(first));
            PoolFiles files = PoolFiles.openUnchecked(some(order));
            opened.add(files);
            try {
                files.prepareRecovery();
                engine = PoolEngine.open(files.memory(), TxSettings.DEFAULTS, this::look);
                List<MemorySegment> all = files.localImages();
                requireSoundHeap(all.get(0));
                IntStream.range(0, order.size()).forEach(i -> images.put(order.get(i), all.get(i)));
                newest.clear();
                newest.addAll(order);
            } catch (FarheapException e) {
                if (e.category() != Category.BAD_DATA) {
                    throw e;
                }
                damage.put(order.get(0), e.getMessage());
                closeEngine();
                opened.remove(files);
                files.close();
            }
        }
    }

    private static void requireSoundHeap(MemorySegment image) {
        String wrong = inconsistency(image);
        if (wrong != null) {
            throw new FarheapException(Category.BAD_DATA, wrong);
        }
    }

    private void closeEngine() {
        view = null;
        if (engine != null) {
            engine.close();
            engine = null;
        }
    }

    private ReplicaSink look(Descriptor descriptor, CommittedView committed) {
        view = committed;
        return null; // nobody attaches
    }

    /** Other runs, and what can be mapped of broken ones, as they lie there. */
    private void openOthers() {
        for (int r = 0; r < found.replicas().size(); r++) {
            boolean mappable =
                    found.replicas().get(r).stream()
                            .noneMatch(part -> part.isLost() && part.header() == null);
            if (mappable && !images.containsKey(r)) {
                PoolFiles files = PoolFiles.openUnchecked(some(List.of(r)));
                opened.add(files);
                images.put(r, files.localImages().get(0));
            }
        }
    }

    private PoolSet some(List<Integer> indexes) {
        PoolSet set = found.poolSet();
        List<LocalReplica> locals = set.localReplicas();
        return PoolSet.of(set.options(), indexes.stream().map(locals::get).toList());
    }

    /** The copies of the newest run, the recovered master first, if one could be recovered. */
    List<Integer> newest() {
        return newest;
    }

    /** Null where it can't be mapped. */
    MemorySegment image(int replica) {
        return images.get(replica);
    }

    /** Why a copy can't be opened, or null. */
    String damage(int replica) {
        return damage.get(replica);
    }

    /** What the master's metadata say; null where no copy could be recovered. */
    CommittedView view() {
        return view;
    }

    /** The first thing that is wrong with a copy's heap, or null. */
    String inconsistency(int replica) {
        return inconsistency(images.get(replica));
    }

    private static String inconsistency(MemorySegment image) {
        Descriptor descriptor = new Descriptor(HeapWalk.readOnly(image));
        String[] first = new String[1];
        HeapWalk.walk(
                image,
                descriptor.heapOffset(),
                descriptor.heapSize(),
                new HeapWalk.Visitor() {
                    @Override
                    public void inconsistency(HeapWalk.Inconsistency wrong) {
                        first[0] = first[0] == null ? wrong.message() : first[0];
                    }
                });
        return first[0];
    }

    @Override
    public void close() {
        closeEngine();
        opened.forEach(PoolFiles::close);
    }
}
