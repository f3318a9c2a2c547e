package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.PoolOptions;
import io.farheap.base.FarheapException;
import io.farheap.base.PersistenceDomain;
import io.farheap.base.Ref;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A replica lost the part that has the number of its run: what is left of it stays only where it is
 * what the other one has.
 */
class LostFirstPartTest {
    private static final List<String> PARTS = List.of("a", "b", "c", "d");

    @TempDir Path dir;
    private DamagedPools pools;
    private Path set;

    @BeforeEach
    void pools() throws IOException {
        pools = new DamagedPools(dir);
        set = dir.resolve("r.set");
    }

    private void put(byte[] a, byte[] b, byte[] c, byte[] d) throws IOException {
        List<byte[]> all = Arrays.asList(a, b, c, d);
        for (String part : PARTS) {
            pools.put(part, all.get(PARTS.indexOf(part)));
        }
    }

    private void refusedWithTheFirstPlace(byte[] left, byte[] other) {
        int at =
                4096
                        + Arrays.mismatch(
                                Arrays.copyOfRange(left, 4096, left.length),
                                Arrays.copyOfRange(other, 4096, other.length));
        long offset = (5L << 20) - 4096 + at;
        String[] why = {
            "part 1 of replica 0 (" + dir.resolve("b") + ") is not what replica 1 has there",
            "first at image offset " + offset + ";",
            "it may be newer: move it away if it is not wanted, and run this again"
        };
        Run.farheap("sync", "-d", set).failedWith(ExitCode.BAD_DATA, why);
        Run.farheap("sync", set).failedWith(ExitCode.BAD_DATA, why);
        assertThat(dir.resolve("a")).doesNotExist();
        assertThat(dir.resolve("b")).hasBinaryContent(left);
    }

    @Test
    void whatIsLeftOfTheNewerOneIsNotMixedWithTheOlderOne() throws IOException {
        put(null, pools.sound("b"), pools.old("c"), pools.old("d"));
        refusedWithTheFirstPlace(pools.sound("b"), pools.old("d"));
        assertThat(dir.resolve("c")).hasBinaryContent(pools.old("c"));
    }

    @Test
    void whatIsLeftOfTheOlderOneIsNotMixedWithTheNewerOne() throws IOException {
        put(null, pools.old("b"), pools.sound("c"), pools.sound("d"));
        refusedWithTheFirstPlace(pools.old("b"), pools.sound("d"));
    }

    @Test
    void aFirstPartWithABrokenHeaderTellsNoNumberEither() throws IOException {
        byte[] broken = pools.sound("a").clone();
        broken[100] ^= 1;
        put(broken, pools.sound("b"), pools.old("c"), pools.old("d"));
        Run.farheap("sync", set).failedWith(ExitCode.BAD_DATA, "is of a later run (number ");
        assertThat(dir.resolve("a")).hasBinaryContent(broken);
    }

    @Test
    void whatIsLeftStaysWhereItIsTheSame() throws IOException {
        put(null, pools.sound("b"), pools.sound("c"), pools.sound("d"));
        Run.farheap("sync", set).succeeded();
        assertThat(dir.resolve("b")).hasBinaryContent(pools.sound("b"));
        pools.requireContent(set);
    }

    @Test
    void whatARollBackLeftInFreeMemoryIsRefusedTooAndCostsNoCommit() throws IOException {
        put(pools.sound("a"), pools.sound("b"), pools.sound("c"), pools.sound("d"));
        PoolOptions pages = // a disk journal leaves no difference
                PoolOptions.builder().persistence(PersistenceDomain.PAGE_CACHE).build();
        try (ObjectPool pool = ObjectPool.at(set).layout("bank").options(pages).open()) {
            for (int i = 0; i < 5; i++) {
                try {
                    pool.transaction(
                            tx -> {
                                Ref big = tx.allocate(600_000, 9);
                                for (int at = 0; at < 600_000; at += 8) {
                                    tx.setLong(big, at, -1);
                                }
                                throw new IllegalStateException("rolled back");
                            });
                } catch (IllegalStateException | FarheapException e) {
                    assertThat(e).hasMessageContaining("rolled back");
                }
            }
        }
        pools.put("a", null);
        Run.farheap("sync", set).failedWith(ExitCode.BAD_DATA, "part 1 of replica 0 (");
        pools.put("b", null);
        Run.farheap("sync", set).succeeded();
        pools.requireContent(set);
    }
}
