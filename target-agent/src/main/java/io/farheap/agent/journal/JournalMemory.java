package io.farheap.agent.journal;

import io.farheap.base.PersistenceDomain;
import io.farheap.memory.MappedImage;
import io.farheap.memory.NativeFile;
import io.farheap.memory.PoolMemory;
import io.farheap.replication.journal.JournalLayout;
import java.nio.file.Path;

/** A journal's file or device, open and mapped; it is closed with this. */
public final class JournalMemory implements AutoCloseable {
    private final NativeFile file;
    private final MappedImage image;
    private final PoolMemory memory;

    JournalMemory(NativeFile file, MappedImage image) {
        this.file = file;
        this.image = image;
        this.memory = new PoolMemory(image.segment(), image.persistence());
    }

    /** By what path it was opened. */
    public Path path() {
        return file.path();
    }

    /** All bytes that are mapped, the slot among them; usable until this is closed. */
    public PoolMemory memory() {
        return memory;
    }

    /** How stores become durable. */
    public PersistenceDomain domain() {
        return image.domain();
    }

    /** The mapping that {@link #memory} is over; it is closed with this. */
    public MappedImage image() {
        return image;
    }

    /** Makes everything durable, flushed or not, whoever stored it; nobody does meanwhile. */
    public void sync() {
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
