package io.farheap.tools;

import io.farheap.FarheapException;
import io.farheap.FarheapException.Category;
import io.farheap.heap.HeapWalk;
import io.farheap.layout.Descriptor;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolSource;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.Part;
import io.farheap.poolset.PoolSet;
import io.farheap.tx.PoolEngine;
import io.farheap.tx.TxSettings;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What is wrong with the local replicas of a pool, one sentence each. Writes nothing. */
final class PoolCheck {
    private final List<String> problems = new ArrayList<>();

    private PoolCheck() {}

    /**
     * @throws FarheapException when the pool cannot be looked at: in use, unreadable, a mistake in
     *     the poolset file
     */
    static List<String> problems(Path file) throws IOException {
        PoolSource source = PoolSource.of(file);
        PoolCheck check = new PoolCheck();
        check.parts(source.existing());
        if (check.problems.isEmpty()) {
            check.image(source);
        }
        return check.problems;
    }

    private void parts(PoolSet set) throws IOException {
        for (LocalReplica replica : set.localReplicas()) {
            for (int p = 0; p < replica.parts().size(); p++) {
                Part part = replica.parts().get(p);
                if (part.kind() == Part.Kind.FILE) {
                    part(part, set.hasHeader(p));
                }
            }
        }
    }

    private void part(Part part, boolean hasHeader) throws IOException {
        if (!Files.exists(part.path())) {
            problems.add(part.path() + ": No such file or directory");
            return;
        }
        long size = Files.size(part.path());
        if (size != part.size()) {
            problems.add(
                    "file size does not match config: "
                            + part.path()
                            + ", "
                            + size
                            + " != "
                            + part.size());
        } else if (hasHeader && !PoolHeaders.read(part.path()).checksumMatches()) {
            problems.add(part.path() + ": invalid checksum of pool header");
        }
    }

    private void image(PoolSource source) {
        try (PoolFiles files = PoolFiles.openPrivate(source, null)) {
            Descriptor descriptor = new Descriptor(files.memory());
            long heapOffset = descriptor.heapOffset();
            long heapSize = descriptor.heapSize();
            try (PoolEngine unused =
                    PoolEngine.open(files.memory(), TxSettings.fromEnvironment(Map.of()), null)) {
                heaps(files, heapOffset, heapSize);
            }
        } catch (FarheapException e) {
            if (e.category() != Category.BAD_DATA) {
                throw e;
            }
            // What is said of the image alone does not name a file.
            boolean named =
                    source.existing().localReplicas().stream()
                            .flatMap(replica -> replica.parts().stream())
                            .anyMatch(part -> e.getMessage().contains(part.path().toString()));
            problems.add(named ? e.getMessage() : source.path() + ": " + e.getMessage());
        }
    }

    private void heaps(PoolFiles files, long heapOffset, long heapSize) {
        List<MemorySegment> images = files.localImages();
        for (int r = 0; r < images.size(); r++) {
            Path first = files.poolSet().localReplicas().get(r).parts().get(0).path();
            HeapWalk.walk(
                    images.get(r),
                    heapOffset,
                    heapSize,
                    new HeapWalk.Visitor() {
                        @Override
                        public void inconsistency(HeapWalk.Inconsistency inconsistency) {
                            problems.add(first + ": " + inconsistency.message());
                        }
                    });
        }
    }
}
