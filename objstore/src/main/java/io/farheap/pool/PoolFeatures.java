package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.layout.FeatureFlags;
import io.farheap.layout.PoolFeature;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.ShutdownState;
import io.farheap.memory.NativeFile;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.Part;
import io.farheap.poolset.PoolSet;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The feature switches of a closed pool (docs/pmempool.md): every header of all local replicas,
 * locked until {@link #close}. A remote replica's headers are its own; switches are not compared
 * with them.
 *
 * <p>A change that was cut leaves headers that disagree in this one switch, perhaps one of them
 * half written; then the pool can't be opened, and the same change again finishes it. No other
 * difference is touched. Not thread-safe.
 */
public final class PoolFeatures implements AutoCloseable {
    /** One header: its file, and a copy of its page. */
    private record Page(Path path, boolean first, byte[] bytes) {
        PoolHeader header() {
            return new PoolHeader(MemorySegment.ofArray(bytes));
        }
    }

    private final List<NativeFile> files = new ArrayList<>();
    private final List<Page> pages = new ArrayList<>();

    private final Function<Path, NativeFile> opener;

    /** Whether one file is looked at, whose poolset file may not be at hand. */
    private boolean alone;

    private PoolFeatures(Function<Path, NativeFile> opener) {
        this.opener = opener;
    }

    /**
     * Locks the parts and reads their headers.
     *
     * @throws FarheapException ENVIRONMENT for a pool in use, or a part that is missing or may not
     *     be written to; BAD_DATA for what is no pool, or has unknown switches
     */
    public static PoolFeatures open(PoolSource source) {
        PoolFeatures features = opened(source, NativeFile::open);
        try {
            DiskJournalRecovery.requireNotNeeded(source.existing());
            return features;
        } catch (RuntimeException e) {
            features.close();
            throw e;
        }
    }

    /**
     * The switches as all headers have them; parts need not be writable.
     *
     * @throws FarheapException as {@link #open}; BAD_DATA also where a header is damaged, or they
     *     disagree
     */
    public static FeatureFlags read(PoolSource source) {
        try (PoolFeatures features = opened(source, NativeFile::openReadOnly)) {
            return features.flags();
        }
    }

    private static PoolFeatures opened(PoolSource source, Function<Path, NativeFile> opener) {
        PoolFeatures features = new PoolFeatures(opener);
        try {
            PoolSet set = source.existing();
            features.alone = !source.isPoolSet();
            for (LocalReplica replica : set.localReplicas()) {
                for (int p = 0; p < replica.parts().size(); p++) {
                    features.part(replica.parts().get(p), set.hasHeader(p), p == 0);
                }
            }
            features.requireOnePool();
            return features;
        } catch (RuntimeException e) {
            features.close();
            throw e;
        }
    }

    private void part(Part part, boolean hasHeader, boolean first) {
        NativeFile file = opener.apply(part.path());
        files.add(file);
        file.lock();
        if (file.size() != part.size()) {
            throw bad(
                    part.path(),
                    "file size does not match config: " + file.size() + " != " + part.size());
        }
        if (hasHeader) {
            Page page = new Page(part.path(), first, page(part.path()));
            pages.add(page);
            PoolHeader header = page.header();
            if (!header.hasSignature() || header.major() != PoolHeader.MAJOR) {
                throw bad(part.path(), String.valueOf(HeaderValidation.ownFault(header)));
            }
            if (header.isMarked()) {
                header.clearMark(); // no switch, and who turns one was refused
            }
            FeatureFlags flags = header.features();
            if (flags.unknownIncompat() != 0 || flags.roCompat() != 0) {
                throw bad(
                        part.path(),
                        "invalid features detected: a later version made this pool; use that one");
            }
        }
    }

    private static byte[] page(Path path) {
        byte[] page = new byte[(int) PoolHeader.SIZE];
        try (NativeFile file = NativeFile.openReadOnly(path)) {
            long unused = file.read(MemorySegment.ofArray(page), 0);
        }
        return page;
    }

    private void requireOnePool() {
        Page first = pages.get(0);
        for (Page page : pages) {
            if (!page.header().poolsetUuid().equals(first.header().poolsetUuid())) {
                throw bad(
                        page.path(), "wrong pool set UUID: it is not " + first.path() + "'s pool");
            }
        }
    }

    private FeatureFlags flags() {
        for (Page page : pages) {
            if (!page.header().checksumMatches()) {
                throw bad(
                        page.path(),
                        "invalid checksum of pool header; if a change of features was cut, make the"
                                + " same change again, else restore the part (farheap sync, or a"
                                + " backup)");
            }
            requireSame(page, page.header().features(), pages.get(0).header().features());
        }
        return pages.get(0).header().features();
    }

    private void requireSame(Page page, FeatureFlags its, FeatureFlags first) {
        if (!its.equals(first)) {
            throw bad(
                    page.path(),
                    "features mismatch detected: "
                            + words(its)
                            + ", and "
                            + words(first)
                            + " in "
                            + pages.get(0).path()
                            + "; if a change of features was cut, make the same change again");
        }
    }

    /**
     * Turns one switch, durably, in every header.
     *
     * @return whether anything had to be changed
     * @throws FarheapException WRONG_USE for a switch that can't be turned in this pool; BAD_DATA
     *     as {@link #read}, but for what a cut change left
     */
    public boolean turn(PoolFeature feature, boolean on) {
        if (feature == PoolFeature.SINGLEHDR) {
            throw FarheapException.wrongUse(
                    "unsupported feature: SINGLEHDR: it is laid down when a pool is created");
        }
        FeatureFlags others = feature.switched(settled(pages.get(0), feature), on);
        requireWhole();
        boolean change = false;
        for (Page page : pages) {
            FeatureFlags its = settled(page, feature);
            requireSame(page, feature.switched(its, on), others);
            change |= !page.header().checksumMatches() || feature.isOn(its) != on;
        }
        requireAllowed(feature, on, others);
        if (change) {
            if (feature == PoolFeature.SHUTDOWN_STATE && !on) {
                forgetShutdowns();
            }
            pages.forEach(page -> write(page, others));
        }
        return change;
    }

    private static String words(FeatureFlags flags) {
        return "%#x, %#x, %#x".formatted(flags.compat(), flags.incompat(), flags.roCompat());
    }

    /** All headers of a pool are turned, or it does not open any more. */
    private void requireWhole() {
        PoolHeader header = pages.get(0).header();
        PoolHeader.Links links = header.links();
        boolean linked =
                !List.of(
                                links.previousPart(),
                                links.nextPart(),
                                links.previousReplica(),
                                links.nextReplica())
                        .stream()
                        .allMatch(header.uuid()::equals);
        if (alone && linked) {
            throw FarheapException.wrongUse(
                    "%s is one part of a set, and all its headers are turned together:"
                            + " name its poolset file",
                    pages.get(0).path());
        }
    }

    /**
     * The switches of a header; of one half written in a change of this one, as they were meant.
     */
    private static FeatureFlags settled(Page page, PoolFeature feature) {
        PoolHeader header = page.header();
        FeatureFlags stored = header.features();
        if (header.checksumMatches()) {
            return stored;
        }
        FeatureFlags other = feature.switched(stored, !feature.isOn(stored));
        if (header.checksumMatchesWith(other)) {
            return other;
        }
        throw bad(
                page.path(),
                "invalid checksum of pool header; restore the part (farheap sync, or a backup)");
    }

    private static void requireAllowed(PoolFeature feature, boolean on, FeatureFlags others) {
        boolean state = others.hasShutdownState();
        if (feature == PoolFeature.CKSUM_2K && !on && state) {
            throw FarheapException.wrongUse("disable SHUTDOWN_STATE prior to disabling CKSUM_2K");
        }
        if (feature == PoolFeature.SHUTDOWN_STATE && on && !others.hasShortChecksum()) {
            throw FarheapException.wrongUse("enable CKSUM_2K prior to enabling SHUTDOWN_STATE");
        }
    }

    /** Zero is a state that tells of nothing; so a pool cut here can be opened as it was. */
    private void forgetShutdowns() {
        for (Page page : pages) {
            if (page.first()) {
                MemorySegment.ofArray(page.bytes())
                        .asSlice(ShutdownState.OFFSET, ShutdownState.SIZE)
                        .fill((byte) 0);
                write(page);
            }
        }
    }

    private static void write(Page page, FeatureFlags flags) {
        page.header().setFeatures(flags);
        write(page);
    }

    private static void write(Page page) {
        try (NativeFile file = NativeFile.open(page.path())) {
            file.write(MemorySegment.ofArray(page.bytes()), 0);
            file.sync();
        } catch (FarheapException e) {
            throw FarheapException.environment(
                    e,
                    "the header of %s may be half written: %s; then make the same change"
                            + " again",
                    page.path(),
                    e.getMessage());
        }
    }

    private static FarheapException bad(Path path, String what) {
        return FarheapException.badData("%s: %s", path, what);
    }

    @Override
    public void close() {
        files.forEach(NativeFile::close);
    }
}
