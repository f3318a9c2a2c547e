package io.farheap.memory;

import io.farheap.base.FarheapException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * What is done with pool files that are marked: which of their journals counts, whether it is
 * theirs at all, and how its batches come to the files (docs/disk-journal.md#open-and-close).
 * Nothing is changed before all doubts are told.
 */
final class JournalRecovery {
    private static final long PAGE = 1L << DirtyPages.PAGE_SHIFT;

    private final List<? extends DiskFile> images;
    private final List<DiskJournalFile> journals;
    private final JournaledFiles.Mark mark;
    private final long imageBytes;

    /**
     * @param images the pool files of each local replica, as one range each
     * @param journals one for each
     * @param imageBytes what each of the images has
     */
    JournalRecovery(
            List<? extends DiskFile> images,
            List<DiskJournalFile> journals,
            JournaledFiles.Mark mark,
            long imageBytes) {
        this.images = images;
        this.journals = journals;
        this.mark = mark;
        this.imageBytes = imageBytes;
    }

    /** Those that were made in the place of one that is lost have nothing: one must be there. */
    void requireMarked(long marked) {
        boolean there = journals.stream().anyMatch(each -> each.id() == marked);
        for (DiskJournalFile each : journals) {
            if (each.id() != marked && !(there && each.id() == DiskJournalFile.NO_ID)) {
                throw FarheapException.badData(
                        "%s is another journal (%s) than the one with the pool's newest commits"
                                + " (%s): put that one back%s; nothing was changed%s",
                        each.place(),
                        Long.toHexString(each.id()),
                        Long.toHexString(marked),
                        DiskJournalFile.BESIDE_LINK,
                        rightOneBeside(marked));
            }
        }
    }

    private String rightOneBeside(long marked) {
        return journals.stream()
                .filter(each -> each.id() == marked)
                .findFirst()
                .map(
                        right ->
                                "; or move that file away: all of its commits are in "
                                        + right.place()
                                        + ", too")
                .orElse("");
    }

    /**
     * Brings the files to where their journals end.
     *
     * @param holes is told where a journal is damaged, before anything is changed
     * @return the position where the journals end
     */
    long recover(long marked, Consumer<JournalHole> holes) {
        for (DiskJournalFile each : journals) {
            long unused = each.replay(DiskJournalFile.Entries.NONE);
        }
        DiskJournalFile furthest = furthest(marked);
        requireNoneAway(furthest, marked);
        requireEmptyIfHalfMarked(marked);
        journals.stream()
                .map(each -> each.holeBehind(furthest))
                .filter(Objects::nonNull)
                .forEach(holes);
        // Else a power loss now could leave the files with half of what the journal then lacks.
        furthest.rewrite(journals);
        DirtyPages touched = new DirtyPages(imageBytes);
        long end =
                furthest.replay(
                        (source, at, length, offset) -> {
                            images.forEach(image -> image.write(source, at, length, offset));
                            touched.add(offset, length);
                        });
        if (images.size() > 1) {
            level(touched);
        }
        images.forEach(DiskFile::sync);
        return end;
    }

    /**
     * Of those that reach as far the one that begins first: a replica's files may lack what only
     * that one still has, and whoever has it gets the same once more.
     */
    private DiskJournalFile furthest(long marked) {
        return journals.stream()
                .filter(each -> each.id() == marked)
                .max(
                        Comparator.comparingLong(DiskJournalFile::end)
                                .thenComparing(
                                        DiskJournalFile::checkpointPosition,
                                        Comparator.reverseOrder()))
                .orElseThrow();
    }

    /**
     * A recovery brings all journals to one end before the first of them begins anew there. One
     * that ends before was away then, and so were its replica's files.
     */
    private void requireNoneAway(DiskJournalFile furthest, long marked) {
        for (DiskJournalFile each : journals) {
            if (each.id() == marked && each.isBefore(furthest)) {
                throw FarheapException.badData(
                        "%s ends before %s begins. If it is a copy of another time, put the right"
                                + " one back; if this local replica was away while another one was"
                                + " recovered, move its parts and this journal away, and farheap"
                                + " sync makes it anew; nothing was changed",
                        each.place(), furthest.place());
            }
        }
    }

    /**
     * A crash leaves some headers without the mark where it came while they were marked, before
     * anything was ordered, or while the mark was taken away, after all of it was brought to the
     * files of all replicas. Else what has no mark is a file of another time, or what has one was
     * away when the others were recovered.
     */
    private void requireEmptyIfHalfMarked(long marked) {
        for (DiskJournalFile each : journals) {
            boolean hasCommits = each.id() == marked && each.end() > each.checkpointPosition();
            if (hasCommits && !mark.isEverywhere()) {
                throw FarheapException.badData(
                        "%s has commits for files that are not all marked as its own. If a part is"
                                + " a copy of another time, put the right one back; if this local"
                                + " replica was away while another one was recovered, move its"
                                + " parts and this journal away, and farheap sync makes it anew;"
                                + " nothing was changed",
                        each.place());
            }
        }
    }

    /**
     * Makes pages of the other replicas what they are in the first one: of two that a checkpoint
     * was to write, a crash may have come in between.
     */
    private void level(DirtyPages pages) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment page = arena.allocate(PAGE, PAGE);
            for (long next = pages.next(0); next >= 0; next = pages.next(next + 1)) {
                long at = next * PAGE;
                long length = images.get(0).read(page, 0, Math.min(PAGE, imageBytes - at), at);
                for (DiskFile copy : images.subList(1, images.size())) {
                    copy.write(page, 0, length, at);
                }
            }
        }
    }
}
