package io.farheap.agent;

import io.farheap.base.PersistenceDomain;
import io.farheap.memory.MappedImage;
import io.farheap.memory.NativeFile;
import io.farheap.memory.PoolMemory;
import io.farheap.replication.journal.JournalLayout;
import java.nio.file.Path;

/** A journal's file or device, open and mapped; it is closed with this. */
final class JournalMemory implements AutoCloseable {
    private final NativeFile file;
    private final MappedImage image;
    private final PoolMemory memory;

    JournalMemory(NativeFile file, MappedImage image) {
        this.file = file;
        this.image = image;
        this.memory = new PoolMemory(image.segment(), image.persistence());
    }

    Path path() {
        return file.path();
    }

    PoolMemory memory() {
        return memory;
    }

    /** How stores become durable. */
    PersistenceDomain domain() {
        return image.domain();
    }

    MappedImage image() {
        return image;
    }

    /** Makes everything durable, flushed or not, whoever stored it; nobody does meanwhile. */
    void sync() {
        JournalFile.storeAgain(memory, 0, Math.min(JournalLayout.RING, memory.size()));
        image.syncPages();
    }

    @Override
    public void close() {
        try (file) {
            image.close();
        }
    }
}
