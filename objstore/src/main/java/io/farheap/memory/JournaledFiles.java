package io.farheap.memory;

import io.farheap.base.FarheapException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pool files of all local replicas with their disk journals, from open to close
 * (docs/disk-journal.md#open-and-close). While the journal may have what the files lack they are
 * marked; whoever finds no mark finds whole files, and need not know of journals.
 *
 * <p>Each method may be cut by a crash; {@link #open} puts right what is left. Not thread-safe.
 */
public final class JournaledFiles {
    /** What the pool's headers say of the journal: the same in all of them, durable on return. */
    public interface Mark {
        /** The id of the journal that belongs to the files; 0: they are whole. */
        long journalId();

        /** Whether each header of each replica says that: a crash may have come in between. */
        default boolean isEverywhere() {
            return true;
        }

        void set(long journalId);

        void clear();
    }

    private static final Logger LOG = LoggerFactory.getLogger(JournaledFiles.class);
    private static final long PAGE = 1L << DirtyPages.PAGE_SHIFT;

    private final List<? extends DiskFile> images;
    private final List<DiskJournalFile> journals;
    private final Mark mark;
    private final LongSupplier nonces;
    private final long imageBytes;
    private DiskJournal journal;
    private Checkpointer checkpointer;

    /**
     * @param images the pool files of each local replica, as one range each
     * @param journals one for each, of one geometry
     * @param nonces never the same number twice
     * @param imageBytes what each of the images has; the journals may know of less
     */
    public JournaledFiles(
            List<? extends DiskFile> images,
            List<DiskJournalFile> journals,
            Mark mark,
            LongSupplier nonces,
            long imageBytes) {
        this.images = List.copyOf(images);
        this.journals = List.copyOf(journals);
        this.mark = mark;
        this.nonces = nonces;
        this.imageBytes = imageBytes;
    }

    /**
     * Brings the files to where their journal ends, if they are marked, and marks them, if not.
     * After it they are what a machine with persistent memory has after a power loss.
     *
     * @throws FarheapException BAD_DATA where a journal is not the one that the mark names, or
     *     damaged, or a replica without the mark can't be what a crash has left; nothing was
     *     changed
     */
    public void open() {
        open(
                hole -> {
                    throw hole.refusal();
                });
    }

    /**
     * As above.
     *
     * @param holes is told where a journal is damaged, before anything is changed. If it returns,
     *     what lies behind is given up
     */
    public void open(Consumer<JournalHole> holes) {
        long marked = mark.journalId();
        JournalRecovery recovery = new JournalRecovery(images, journals, mark, imageBytes);
        if (marked != 0) {
            recovery.requireMarked(marked);
        }
        for (DiskJournalFile each : journals) {
            each.rewriteSuperblock();
        }
        if (marked == 0) {
            begin();
        } else {
            restart(recovery.recover(marked, holes), marked);
            mark.set(marked); // in all headers: a crash may have come between two of them
        }
    }

    /**
     * Takes the mark away after {@link #open}, where nobody is to store anything: the files are
     * what a machine with persistent memory has after a power loss, and need no journal any more.
     */
    public void unmark() {
        mark.clear();
    }

    /**
     * Whatever a journal has is of an older life of the files: somebody else may have been here.
     */
    private void begin() {
        images.forEach(DiskFile::sync);
        long position =
                journals.stream()
                        .mapToLong(DiskJournalFile::checkpointPosition)
                        .max()
                        .orElseThrow();
        long id = nonces.getAsLong() | 1; // not NO_ID; of no older life
        restart(position, id);
        mark.set(id);
    }

    private void restart(long position, long id) {
        long nonce = nonces.getAsLong();
        for (DiskJournalFile each : journals) {
            each.takeId(id);
            each.takeImageBytes(imageBytes); // growth may have been cut
            each.restart(position, nonce);
        }
    }

    /**
     * From here on stores in the image are made durable by the journal.
     *
     * @param image private, and mapped or read after {@link #open}
     * @return how
     */
    public DiskJournal start(MemorySegment image) {
        journal = new DiskJournal(image, journals);
        checkpointer = new Checkpointer(journal, images);
        return journal;
    }

    /** Has checkpoints made from here on, by a thread of their own. */
    public void startCheckpointing() {
        checkpointer.start();
    }

    /**
     * The pool files have become longer, all of them durably; whoever stores in what is new is told
     * of it after this.
     *
     * @param longer the image, which is the same memory and more behind it
     */
    public void grow(MemorySegment longer) {
        checkpointer.grow(longer);
    }

    /** How stores are held off for a moment. */
    @FunctionalInterface
    public interface Quiet {
        /**
         * @return false: somebody works with the image for longer than that; nothing was run
         */
        boolean run(Runnable action);
    }

    /**
     * Has memory given back from now on that the image takes beside the files' pages.
     *
     * @param quiet runs what no store may disturb
     * @param mostBytes above this, some is given back after a checkpoint; 0: a quarter of what the
     *     machine or the container has
     */
    public void giveBack(Quiet quiet, long mostBytes) {
        if (PortablePersistence.isUsed()) {
            return; // nothing can be
        }
        checkpointer.giveBack(quiet::run, mostBytes == 0 ? MachineMemory.bytes() / 4 : mostBytes);
    }

    /** What the journal did since {@link #start}. */
    public JournalCounters counters() {
        return checkpointer.counters();
    }

    /** Makes checkpoints one by one. */
    Checkpointer checkpointer() {
        return checkpointer;
    }

    /** The pages that were stored to, ordered or not. */
    @FunctionalInterface
    interface StoredPages {
        void each(LongConsumer page);
    }

    /**
     * Makes the files whole and takes the mark away: nobody stores any more.
     *
     * @param last what is still to be done with the files before nobody knows of the journal
     * @throws FarheapException ENVIRONMENT when something can't be written; the mark stays then,
     *     and the next opening recovers
     */
    public void close(Runnable last) {
        close(pages -> PrivatePages.each(journal.image(), pages), last);
    }

    /** As above, of an image whose pages the kernel knows nothing of. */
    void close(StoredPages pages, Runnable last) {
        checkpointer.close();
        journal.fence();
        checkpointer.checkpoint();
        // What was stored and never flushed, as volatile words in the headers of free blocks.
        pages.each(this::writeBack);
        images.forEach(DiskFile::sync);
        last.run();
        mark.clear();
        release();
    }

    /**
     * Has the journals say that the pool was closed, whatever becomes of its files. Where that
     * can't be written they pass for journals that somebody may need.
     */
    private void release() {
        try {
            journals.forEach(DiskJournalFile::release);
        } catch (FarheapException e) {
            LOG.warn("the pool is closed; its disk journal does not say so: {}", e.getMessage());
        }
    }

    /** Ends the thread and leaves the files to recovery. */
    public void abandon() {
        checkpointer.close();
    }

    private void writeBack(long page) {
        MemorySegment image = journal.image();
        long at = page * PAGE;
        if (at < DiskJournalLayout.FIRST_IMAGE_BYTE) {
            return;
        }
        long length = Math.min(PAGE, image.byteSize() - at);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment stored = arena.allocate(length, PAGE);
            for (DiskFile file : images) {
                long read = file.read(stored, 0, length, at);
                if (read < length
                        || MemorySegment.mismatch(image, at, at + length, stored, 0, length) >= 0) {
                    file.write(image, at, length, at);
                }
            }
        }
    }
}
