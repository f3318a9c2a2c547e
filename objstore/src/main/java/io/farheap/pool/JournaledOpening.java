package io.farheap.pool;

import io.farheap.base.FarheapException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a pool is opened with a disk journal: as is said, or as its place says, or without where
 * it can do without and can't have one.
 */
final class JournaledOpening {
    private static final Logger LOG = LoggerFactory.getLogger(JournaledOpening.class);

    private JournaledOpening() {}

    /** See {@link PoolFiles#open(PoolSource, String, ContentCheck, Journaling)}. */
    static PoolFiles open(
            PoolSource source, String layout, ContentCheck contentCheck, Journaling journaling) {
        if (!isFor(journaling, source)) {
            return PoolFiles.open(source, layout, contentCheck);
        }
        try {
            return PoolFiles.openJournaled(source, layout, contentCheck, journaling.settings());
        } catch (NoDiskJournalException e) {
            if (!journaling.canDoWithout()) {
                throw e;
            }
            PoolFiles opened = PoolFiles.open(source, layout, contentCheck);
            LOG.warn(
                    "{} is open without a disk journal, which is as safe, and slower: {}."
                            + " FARHEAP_DURABILITY=pages says that it needs none.",
                    source.path(),
                    e.why());
            return opened;
        }
    }

    private static boolean isFor(Journaling journaling, PoolSource source) {
        try {
            return journaling.isFor(source.existing());
        } catch (FarheapException unreadable) {
            return false; // opening says that better
        }
    }
}
