package io.farheap.agent.journal;

import io.farheap.agent.base.FileRemoval;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.memory.NativeFile;
import java.nio.file.Files;

/**
 * A journal that goes: its file, or what a device has of it and the link there. Nobody else has it
 * open meanwhile. A link to a device that has nothing of this replica goes alone.
 */
public final class JournalRemoval implements AutoCloseable {
    private final JournalPlace place;
    private final JournalMemory onDevice;
    private final NativeFile file;

    private JournalRemoval(JournalPlace place, JournalMemory onDevice, NativeFile file) {
        this.place = place;
        this.onDevice = onDevice;
        this.file = file;
    }

    /**
     * @throws FarheapException category ENVIRONMENT when somebody has it open, or it can't be
     *     opened
     */
    public static JournalRemoval of(JournalPlace place) {
        if (place.device().isPresent()) {
            return new JournalRemoval(place, openOwn(place), null);
        }
        return new JournalRemoval(place, null, Files.exists(place.path()) ? lock(place) : null);
    }

    private static NativeFile lock(JournalPlace place) {
        NativeFile file = NativeFile.open(place.path());
        try {
            file.lock();
            return file;
        } catch (FarheapException e) {
            file.close();
            throw e;
        }
    }

    /**
     * The same of one that can't be opened: what a device has of it stays there.
     *
     * @throws FarheapException category ENVIRONMENT when somebody has it open
     */
    public static JournalRemoval byForce(JournalPlace place) {
        try {
            return of(place);
        } catch (FarheapException e) {
            if (place.device().isEmpty() && isInUse(place)) {
                throw e;
            }
            return new JournalRemoval(place, null, null);
        }
    }

    private static boolean isInUse(JournalPlace place) {
        try (NativeFile file = NativeFile.open(place.path())) {
            return !file.tryLock();
        } catch (FarheapException e) {
            return false; // nor can anybody else open it
        }
    }

    /** Null where the device has nothing of it. */
    private static JournalMemory openOwn(JournalPlace place) {
        try {
            return place.open();
        } catch (FarheapException e) {
            if (e.category() == Category.BAD_DATA) {
                return null;
            }
            throw e;
        }
    }

    /** The name goes last: until then the journal is known as unfinished. */
    public void delete() {
        if (onDevice != null) {
            JournalDevice.giveBack(onDevice.memory());
        }
        FileRemoval.delete(place.path());
    }

    @Override
    public void close() {
        if (onDevice != null) {
            onDevice.close();
        }
        if (file != null) {
            file.close();
        }
    }
}
