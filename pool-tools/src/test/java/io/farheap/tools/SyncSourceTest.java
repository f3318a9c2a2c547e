package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.check.PoolCheck;
import io.farheap.layout.Descriptor;
import io.farheap.pool.PoolSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code farheap sync} where a local replica that it might copy from is damaged itself. */
class SyncSourceTest {
    private static final long SEED = Long.getLong("farheap.damage.seed", 20261122);
    private static final int ROUNDS = 12;
    private static final int BAD_DATA = 1;
    private static final int TYPE = 7;

    /** Heap header, the first zone's header and the headers of its first chunks. */
    private static final int METADATA = 1024 + 64 + 4 * 8;

    private final Random random = new Random(SEED);

    @TempDir Path dir;
    private Path set;

    /** Three replicas of one part each: a, b and c. */
    @BeforeEach
    void pool() throws IOException {
        set = dir.resolve("bank.set");
        Files.writeString(
                set,
                "PMEMPOOLSET\n8M %1$s/a\nREPLICA\n8M %1$s/b\nREPLICA\n8M %1$s/c\n".formatted(dir));
        try (ObjectPool pool = ObjectPool.create(set, "bank")) {
            Ref root = pool.root(64);
            pool.transaction(
                    tx -> {
                        for (int i = 0; i < 8; i++) {
                            tx.setRef(root, 8 * i, tx.allocate(1000, TYPE));
                        }
                    });
        }
    }

    private Path part(int replica) {
        return dir.resolve(String.valueOf((char) ('a' + replica)));
    }

    /** Flips bits of heap metadata until check sees it. */
    private void damage(int replica) throws IOException {
        byte[] bytes = Files.readAllBytes(part(replica));
        do {
            int at = (int) Descriptor.DEFAULT_HEAP_OFFSET + random.nextInt(METADATA);
            bytes[at] ^= (byte) (1 << random.nextInt(8));
            Files.write(part(replica), bytes);
        } while (PoolCheck.ofReplica(PoolSource.of(set).existing(), replica).isConsistent());
    }

    @Test
    void isCopiedFromTheOneThatIsSoundAndBothOthersAreMadeAnew() throws IOException {
        byte[][] sound = new byte[3][];
        for (int r = 0; r < 3; r++) {
            sound[r] = Files.readAllBytes(part(r));
        }
        for (int i = 0; i < ROUNDS; i++) {
            int lost = random.nextInt(3);
            int damaged = (lost + 1 + random.nextInt(2)) % 3;
            int good = 3 - lost - damaged;
            String what =
                    "seed %d, round %d: %d lost, %d damaged".formatted(SEED, i, lost, damaged);
            for (int r = 0; r < 3; r++) {
                Files.write(part(r), sound[r]);
            }
            Files.delete(part(lost));
            damage(damaged);

            Run run = Run.farheap("sync", set);

            assertThat(run.exitCode()).as(what + run.out() + run.err()).isZero();
            assertThat(run.out().lines())
                    .as(what)
                    .anyMatch(line -> line.startsWith("replica " + damaged + ": its content is"))
                    .contains(
                            plan(damaged) + "all of it is made anew from replica " + good,
                            plan(lost) + "all of it is made anew from replica " + good,
                            plan(good) + "stays as it is: the others are made from it",
                            "verdict: all 3 copies are equal",
                            set + ": synchronized");
            assertThat(Run.farheap("check", set).exitCode()).as(what).isZero();
            try (ObjectPool pool = ObjectPool.open(set, "bank")) {
                assertThat(pool.getRef(pool.root(64), 56).isNull()).isFalse();
            }
            for (int r = 0; r < 3; r++) {
                sound[r] = Files.readAllBytes(part(r));
            }
        }
    }

    private String plan(int replica) {
        return "plan: replica " + replica + ", here, " + part(replica) + ": ";
    }

    @Test
    void aLinkIsReplacedByAFileAndThePlanSaysSo() throws IOException {
        Path elsewhere = Files.createDirectory(dir.resolve("elsewhere")).resolve("b");
        Files.write(elsewhere, new byte[(int) Files.size(part(1))]);
        Files.delete(part(1));
        Files.createSymbolicLink(part(1), elsewhere);

        Run run = Run.farheap("sync", set).succeeded();

        assertThat(run.out())
                .contains(
                        "it is a symbolic link, which a new file replaces: what it leads to stays");
        assertThat(Files.isSymbolicLink(part(1))).isFalse();
        assertThat(elsewhere).exists();
    }

    @Test
    void nothingIsCopiedWhereAllThatIsLeftIsDamaged() throws IOException {
        Files.delete(part(0));
        damage(1);
        damage(2);
        List<byte[]> before = new ArrayList<>();
        before.add(Files.readAllBytes(part(1)));
        before.add(Files.readAllBytes(part(2)));

        Run run = Run.farheap("sync", set);

        assertThat(run.exitCode()).as(run.out()).isEqualTo(BAD_DATA);
        assertThat(run.err()).contains("no healthy replica found");
        assertThat(part(0)).doesNotExist();
        assertThat(Files.readAllBytes(part(1))).isEqualTo(before.get(0));
        assertThat(Files.readAllBytes(part(2))).isEqualTo(before.get(1));
    }

    @Test
    void asJsonItSaysThePlanAndHowTheCopiesCompare() throws IOException {
        Files.delete(part(1));

        JsonNode planned = json("--dry-run");
        assertThat(planned.get("done").asBoolean()).isFalse();
        assertThat(planned.has("verified")).isFalse();
        assertThat(planned.get("plan").get(1).get("action").asText()).isEqualTo("RESTORED");
        assertThat(part(1)).doesNotExist();

        JsonNode result = json("-v");
        assertThat(result.get("problems")).hasSize(1);
        assertThat(result.get("plan")).hasSize(3);
        assertThat(result.get("steps")).hasSize(1);
        assertThat(result.get("done").asBoolean()).isTrue();
        assertThat(result.get("verified").get("equal").asBoolean()).isTrue();
        assertThat(result.get("verified").get("copies").get(1).get("finding").asText())
                .isEqualTo("EQUAL");
    }

    private JsonNode json(String option) throws IOException {
        return new ObjectMapper()
                .readTree(Run.farheap("sync", "--json", option, set).succeeded().out());
    }
}
