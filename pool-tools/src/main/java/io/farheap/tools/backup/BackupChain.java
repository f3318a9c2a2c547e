package io.farheap.tools.backup;

import io.farheap.base.FarheapException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** A backup with all that it builds on, each of which is the one that was built on. */
final class BackupChain implements AutoCloseable {
    /** A restoration reads all of them; a longer chain is nobody's wish. */
    static final int MOST = 1000;

    private final List<BackupFile> files = new ArrayList<>();

    private BackupChain() {}

    /**
     * @throws FarheapException BAD_DATA where one is damaged, is not what was built on, or builds
     *     on itself; ENVIRONMENT where one is missing
     */
    static BackupChain open(Path path) {
        BackupChain chain = new BackupChain();
        try {
            chain.add(BackupFile.open(path));
            Set<UUID> seen = new HashSet<>();
            while (seen.add(chain.oldest().header().id()) && !chain.oldest().header().isFull()) {
                chain.addBase();
            }
            if (!chain.oldest().header().isFull()) {
                throw FarheapException.badData(
                        "%s builds on itself: it is no backup that farheap made",
                        chain.oldest().path());
            }
            Collections.reverse(chain.files);
            return chain;
        } catch (Throwable e) {
            chain.close();
            throw e;
        }
    }

    private void add(BackupFile file) {
        files.add(file);
    }

    /** While the chain is built, newest first. */
    private BackupFile oldest() {
        return files.get(files.size() - 1);
    }

    private void addBase() {
        BackupFile upper = oldest();
        BackupHeader.Base base = upper.header().base();
        Path path = upper.path().resolveSibling(base.name());
        if (files.size() == MOST) {
            throw FarheapException.badData(
                    "%s has more than %s others below it: restore from another one",
                    files.get(0).path(), MOST);
        }
        try {
            add(BackupFile.open(path));
        } catch (FarheapException e) {
            throw new FarheapException(
                    e.category(), upper.path() + " builds on another backup: " + e.getMessage(), e);
        }
        BackupHeader lower = oldest().header();
        boolean same =
                lower.id().equals(base.id())
                        && Arrays.equals(oldest().seal(), base.seal())
                        && lower.imageBytes() <= upper.header().imageBytes()
                        && isOfOnePool(lower, upper.header());
        if (!same) {
            throw FarheapException.badData(
                    "%s is not the backup that %s builds on, which has its name: put that one back",
                    path, upper.path());
        }
    }

    static boolean isOfOnePool(BackupHeader one, BackupHeader other) {
        return one.ofPool().poolsetUuid().equals(other.ofPool().poolsetUuid());
    }

    BackupFile newest() {
        return files.get(files.size() - 1);
    }

    /** The full one first. */
    List<BackupFile> files() {
        return files;
    }

    /** What the pieces of the whole must be. */
    PieceHashes hashes(long imageBytes) {
        PieceHashes hashes = new PieceHashes(imageBytes);
        files.forEach(file -> file.addTo(hashes));
        return hashes;
    }

    /** All content, in an order in which what comes later replaces what came before. */
    void each(BackupFile.Visitor visitor) {
        files.forEach(file -> file.each(visitor));
    }

    @Override
    public void close() {
        files.forEach(BackupFile::close);
        files.clear();
    }
}
