package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.base.JournalSettings;
import io.farheap.base.PersistenceDomain;
import io.farheap.memory.OrdinaryDisk;
import io.farheap.poolset.Part;
import io.farheap.poolset.PartSize;
import io.farheap.poolset.PoolSet;
import java.nio.file.Path;
import java.util.Map;

/**
 * Whether a pool's files get a disk journal, and what kind of one (docs/disk-journal.md).
 *
 * @param settings of those that get one
 */
public record Journaling(When when, JournalSettings settings) {
    /** Which pools have one. */
    public enum When {
        /** None. */
        NEVER,
        /**
         * Those of which any part of any local replica lies on an ordinary disk. One that is there
         * is opened without, if it can't have one.
         */
        ON_ORDINARY_DISKS,
        /** All; else they are not opened. */
        ALWAYS
    }

    /** None. */
    public static final Journaling NONE = new Journaling(When.NEVER, JournalSettings.USUAL);

    /**
     * What is said; the program's word goes over that of the environment.
     *
     * @param program what the program says of the domain; null: nothing
     * @param settings what it says of the journal
     * @throws FarheapException WRONG_USE where the environment says what can't be
     */
    public static Journaling of(
            PersistenceDomain program, JournalSettings settings, Map<String, String> environment) {
        When byProgram = program == PersistenceDomain.JOURNAL ? When.ALWAYS : When.NEVER;
        When when = program == null ? when(environment) : byProgram;
        return when == When.NEVER ? NONE : new Journaling(when, settings(settings, environment));
    }

    /** What {@code FARHEAP_DURABILITY} says; else those of libpmem's that name a domain. */
    private static When when(Map<String, String> environment) {
        String says = environment.get("FARHEAP_DURABILITY");
        if (says == null) {
            boolean domainIsSaid =
                    !environment.getOrDefault("PMEM_IS_PMEM_FORCE", "").isEmpty()
                            || !environment.getOrDefault("PMEM2_FORCE_GRANULARITY", "").isEmpty();
            return domainIsSaid ? When.NEVER : When.ON_ORDINARY_DISKS;
        }
        return switch (says) {
            case "journal" -> When.ALWAYS;
            case "pages" -> When.NEVER;
            default ->
                    throw FarheapException.wrongUse(
                            "FARHEAP_DURABILITY must be journal or pages, or not set, not %s.",
                            says);
        };
    }

    private static JournalSettings settings(JournalSettings said, Map<String, String> environment) {
        return new JournalSettings(
                said.ringBytes() == 0
                        ? bytes(environment, "FARHEAP_JOURNAL_SIZE")
                        : said.ringBytes(),
                said.privateBytes() == 0
                        ? bytes(environment, "FARHEAP_JOURNAL_MEMORY")
                        : said.privateBytes());
    }

    /** 0: it says nothing. */
    private static long bytes(Map<String, String> environment, String name) {
        String says = environment.getOrDefault(name, "");
        if (says.isEmpty()) {
            return 0;
        }
        long bytes = PartSize.parse(says);
        if (bytes < 0) {
            throw FarheapException.wrongUse(
                    "%s must be a number of bytes such as 64M or 1G, not %s.", name, says);
        }
        return bytes;
    }

    /** Whether this pool has one, whose part files are there: the same each time. */
    boolean isFor(PoolSet set) {
        return switch (when) {
            case NEVER -> false;
            case ALWAYS -> true;
            case ON_ORDINARY_DISKS ->
                    set.localReplicas().stream()
                            .flatMap(replica -> replica.parts().stream())
                            .map(Part::path)
                            .anyMatch(OrdinaryDisk::has);
        };
    }

    /** Whether a pool without one is better than none. */
    boolean canDoWithout() {
        return when == When.ON_ORDINARY_DISKS;
    }

    /**
     * How large one plain pool file may be that shares so much room with its disk journal, if it
     * gets one.
     *
     * @param directory where it is to be made
     * @param room bytes that are free
     */
    public long mostPoolBytes(Path directory, long room) {
        boolean journaled =
                when == When.ALWAYS
                        || (when == When.ON_ORDINARY_DISKS && OrdinaryDisk.carries(directory));
        return journaled ? RingSize.mostPoolBytes(settings, room) : room;
    }
}
