package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.farheap.ObjectPool;
import io.farheap.PoolOptions;
import io.farheap.base.PersistenceDomain;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What is said of a pool that nobody has open and nobody closed, as of a copy made with cp: never
 * that it is whole, for nothing tells whether its parts fit together.
 */
class NotClosedPoolTest {
    private static final PoolOptions PAGES =
            PoolOptions.builder().persistence(PersistenceDomain.PAGE_CACHE).build();
    private static final String DOUBT = "nothing tells whether they fit together";

    @TempDir private Path dir;
    private Path pool;
    private Path copy;

    @BeforeEach
    void aCopyByCpOfAnOpenPool() throws IOException {
        pool = dir.resolve("bank.pool");
        copy = dir.resolve("copy.pool");
        try (ObjectPool open =
                ObjectPool.at(pool).layout("bank").size(8 << 20).options(PAGES).create()) {
            Files.copy(pool, copy);
            assertThat(open.poolId()).isNotZero();
        }
    }

    private static JsonNode json(Object... command) throws IOException {
        return new ObjectMapper().readTree(Run.farheap(command).succeeded().out());
    }

    @Test
    void aCheckSaysThatItWasNotClosed() throws IOException {
        for (String how : new String[] {"-v", "-r"}) {
            Run check = Run.farheap("check", how, copy).succeeded();
            assertThat(check.out())
                    .startsWith(copy + ": consistent; it was not closed: a crash leaves it so")
                    .contains("with cp", DOUBT)
                    .hasLineCount(1);
        }
        assertThat(json("check", "--json", copy).get("notClosed").asText()).contains(DOUBT);
    }

    @Test
    void aStatusSaysThatItWasNotClosed() throws IOException {
        Run status = Run.farheap("status", copy).succeeded();

        assertThat(status.out()).contains("not closed  : a crash leaves it so", "with cp", DOUBT);
        assertThat(json("status", "--json", copy).get("notClosed").asText()).contains(DOUBT);
        assertThat(Run.farheap("status", "--prometheus=-", copy).out())
                .contains("farheap_pool_not_closed{poolset=\"" + copy + "\"} 1");
        assertThat(Run.farheap("report", "-o", "-", copy).out()).contains(DOUBT);
    }

    @Test
    void nothingIsSaidOfAPoolThatWasClosed() throws IOException {
        ObjectPool.at(copy).layout("bank").options(PAGES).open().close();

        for (Path closed : new Path[] {pool, copy}) {
            assertThat(Run.farheap("check", closed).succeeded().out())
                    .isEqualTo(closed + ": consistent\n");
            assertThat(json("check", "--json", closed).get("notClosed").asText()).isEmpty();
            assertThat(Run.farheap("status", closed).succeeded().out())
                    .doesNotContain("not closed");
            assertThat(json("status", "--json", closed).has("notClosed")).isFalse();
        }
    }

    @Test
    void nothingIsSaidOfAPoolThatIsOpen() {
        try (ObjectPool open = ObjectPool.at(pool).layout("bank").options(PAGES).open()) {
            assertThat(open.poolId()).isNotZero();
            assertThat(Run.farheap("status", pool).succeeded().out())
                    .contains("open in     : process")
                    .doesNotContain("not closed");
        }
    }

    /** Damage may look like the mark that a disk journal is needed. */
    @Test
    void aDamagedHeaderIsNoSign() throws IOException {
        Path set = dir.resolve("two.set");
        Files.writeString(set, "PMEMPOOLSET\n8M %1$s/a\nREPLICA\n8M %1$s/b\n".formatted(dir));
        ObjectPool.create(set, "bank").close();
        byte[] bytes = Files.readAllBytes(dir.resolve("a"));
        Arrays.fill(bytes, 8, 4096, (byte) 0xFF); // all but the signature
        Files.write(dir.resolve("a"), bytes);

        assertThat(Run.farheap("check", set).out())
                .contains(set + ": not consistent\n")
                .doesNotContain("not closed");
        assertThat(Run.farheap("status", set).out()).doesNotContain("\nnot closed");
    }
}
