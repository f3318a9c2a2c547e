package io.farheap.it.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.PoolOptions;
import io.farheap.base.PersistenceDomain;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pools with a disk journal beside libpmemobj and pmempool (docs/disk-journal.md). */
class DiskJournalNativeTest {
    private static final PoolOptions JOURNAL =
            PoolOptions.builder().persistence(PersistenceDomain.JOURNAL).build();
    private static final long BYTES = 96L << 20;
    private static final long SEED = 20_261_124;

    @TempDir private Path directory;
    private Path file;

    @BeforeEach
    void nativeLibrary() {
        NativeJudge.require();
        file = directory.resolve("a.pool");
    }

    private Path killed() throws IOException {
        Path copy = Files.createDirectory(directory.resolve("killed")).resolve("a.pool");
        Files.copy(file, copy);
        Files.copy(
                directory.resolve("a.pool.disk-journal"),
                copy.resolveSibling("a.pool.disk-journal"));
        return copy;
    }

    @Test
    void anOpenPoolOrAKilledOneIsRefusedAndLeftAlone() throws IOException {
        Path copy;
        try (ObjectPool pool =
                ObjectPool.at(file).layout("").size(BYTES).options(JOURNAL).create()) {
            pool.root(1000);
            new RandomWorkload(pool, SEED).run(50);
            copy = killed();
        }
        byte[] before = Files.readAllBytes(copy);
        NativeJudge.Answer opened = NativeJudge.judge("list", copy.toString());
        NativeJudge.Answer checked = NativeTools.pmempool("check", "-v", copy.toString());
        NativeJudge.Answer repaired = NativeTools.pmempool("check", "-ry", copy.toString());
        NativeJudge.Answer feature =
                NativeTools.pmempool("feature", "-d", "SHUTDOWN_STATE", copy.toString());
        NativeJudge.Answer ours = NativeTools.farheap("check", copy.toString());

        assertThat(opened.exitCode()).as("%s", opened).isNotZero();
        assertThat(opened.toString()).contains("0x40000000");
        assertThat(checked.exitCode()).as("%s", checked).isNotZero();
        assertThat(checked.toString()).contains("not consistent");
        assertThat(repaired.exitCode()).as("%s", repaired).isNotZero();
        assertThat(feature.exitCode()).as("%s", feature).isNotZero();
        assertThat(ours.exitCode()).as("%s, which reads the journal", ours).isZero();
        assertThat(Files.readAllBytes(copy)).isEqualTo(before);
    }

    @Test
    void aClosedPoolAndARecoveredOneAreTheLibrarysOwn() throws IOException {
        Path copy;
        try (ObjectPool pool =
                ObjectPool.at(file).layout("").size(BYTES).options(JOURNAL).create()) {
            pool.root(1000);
            new RandomWorkload(pool, SEED).run(100);
            copy = killed();
        }
        ObjectPool.open(copy, "").close();
        for (Path each : new Path[] {file, copy}) {
            NativeJudge.assertConsistent(each);
            Listing theirs = NativeJudge.list(each);
            try (ObjectPool pool = ObjectPool.open(each, "")) {
                assertThat(Listing.of(pool)).isEqualTo(theirs);
            }
        }
        assertThat(NativeJudge.list(copy)).isEqualTo(NativeJudge.list(file));
    }

    @Test
    void whatTheLibraryCommittedSinceTheLastCloseCounts() {
        ObjectPool.at(file).layout("").size(BYTES).options(JOURNAL).create().close();
        for (int round = 0; round < 3; round++) {
            NativeJudge.work(file, SEED + round, 60);
            Listing theirs = NativeJudge.list(file);
            try (ObjectPool pool = ObjectPool.at(file).layout("").options(JOURNAL).open()) {
                assertThat(Listing.of(pool)).isEqualTo(theirs);
                new RandomWorkload(pool, SEED * 31 + round).run(60);
            }
            NativeJudge.assertConsistent(file);
        }
    }
}
