package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.farheap.ObjectPool;
import io.farheap.objects.PersistentHeap;
import io.farheap.objects.schema.Persistent;
import io.farheap.objects.schema.PersistentMap;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code farheap types} and {@code farheap reclaim}. */
class TypedPoolCommandsTest {
    private static final int LOST = 5;

    @TempDir private Path dir;
    private Path pool;

    @Persistent(name = "Bank")
    interface Bank {
        PersistentMap<String, Account> accounts();
    }

    @Persistent(name = "Account")
    interface Account {
        String owner();

        void owner(String value);

        long balance();

        void balance(long value);

        Kind kind();

        void kind(Kind value);
    }

    enum Kind {
        PLAIN,
        SAVINGS
    }

    /** A bank with one account that the root reaches, and five that it does not. */
    @BeforeEach
    void aBank() {
        pool = dir.resolve("bank.pool");
        try (PersistentHeap<Bank> heap = heap()) {
            Account kept = heap.create(Account.class, one -> one.owner("Ada"));
            heap.root().accounts().put("Ada", kept);
            for (int i = 0; i < LOST; i++) {
                Account lost =
                        heap.create(
                                Account.class,
                                one -> one.owner("Bob, whose name does not fit in 16 bytes"));
                assertThat(lost.balance()).isZero();
            }
        }
    }

    private PersistentHeap<Bank> heap() {
        return PersistentHeap.openOrCreate(pool, 8 << 20, Bank.class);
    }

    private static JsonNode json(Run run) throws IOException {
        return JsonMapper.builder().build().readTree(run.succeeded().out());
    }

    // ---- types ----

    @Test
    void typesAreListedWithThePlaceOfEachField() {
        assertThat(Run.farheap("types", pool).succeeded().out())
                .containsPattern("object Bank, version 1, type number 42949672\\d\\d, \\d+ bytes\n")
                .contains("accounts: map<String, ref Account>\n")
                .containsPattern("\n +\\d+ +16  owner: String\n")
                .containsPattern("\n +\\d+ +8  balance: long\n")
                .containsPattern("enum \\S*Kind, version 1")
                .contains("\n       PLAIN\n       SAVINGS\n");
    }

    @Test
    void typesAreJsonForPrograms() throws IOException {
        JsonNode types = json(Run.farheap("types", "--json", pool)).get("types");
        assertThat(types).hasSize(3);
        JsonNode account = null;
        for (JsonNode type : types) {
            account = type.get("name").asText().equals("Account") ? type : account;
        }
        assertThat(account.get("kind").asText()).isEqualTo("object");
        assertThat(account.get("javaName").asText()).isEqualTo(Account.class.getName());
        assertThat(account.get("fields")).hasSize(3);
        assertThat(account.get("fields").get(0).get("name").asText()).isIn("owner", "balance");
    }

    @Test
    void typesAreAHeaderForC() {
        assertThat(Run.farheap("types", "--c", pool).succeeded().out())
                .startsWith("/* The types of a pool of typed objects")
                .contains("TOID_DECLARE(struct Account, ", "int64_t balance;")
                .endsWith("#endif\n");
        Run.farheap("types", "--c", "--json", pool)
                .failedWith(ExitCode.WRONG_USE, "--c can't be used with --json");
    }

    // ---- info ----

    @Test
    void figuresOfAHeapAreByNameOfType() throws IOException {
        assertThat(Run.farheap("info", "-s", pool).succeeded().out())
                .containsPattern("Type 42949672\\d\\d, Account#1")
                .containsPattern("Type \\d+, maps and sets: entries")
                .containsPattern("Type \\d+, type table")
                .containsPattern("Type \\d+, values");
        JsonNode types =
                json(Run.farheap("info", "-s", "--json", pool))
                        .get("statistics")
                        .get("objectsByType");
        JsonNode account = null;
        for (JsonNode type : types) {
            account = type.path("typeName").asText().equals("Account#1") ? type : account;
        }
        assertThat(account.get("numberOfObjects").asInt()).isEqualTo(1 + LOST);
        assertThat(account.get("numberOfBytes").asInt()).isPositive();
    }

    // ---- reclaim ----

    @Test
    void reclaimHasNoCopiesToDiscard() {
        Run.farheap("reclaim", "--discard=" + LOST, pool)
                .failedWith(ExitCode.WRONG_USE, "Unknown option", "--discard");
    }

    @Test
    void aDryRunCountsByTypeAndWritesNothing() throws IOException {
        byte[] before = Files.readAllBytes(pool);
        for (String option : List.of("-d", "--dry-run")) {
            assertThat(Run.farheap("reclaim", option, pool).succeeded().out())
                    .containsPattern("(?m)^Account: " + LOST + " objects, \\d+ bytes$")
                    .contains(pool + ": 10 objects, ", " bytes can be freed\n");
        }
        JsonNode found = json(Run.farheap("reclaim", "-d", "--json", pool));
        assertThat(found.get("freed").asBoolean()).isFalse();
        assertThat(found.get("objects").asInt()).isEqualTo(2 * LOST);
        Run.farheap("types", pool).succeeded();
        assertThat(Files.readAllBytes(pool)).isEqualTo(before);
    }

    @Test
    void nothingIsFreedThatNobodyAgreedTo() throws IOException {
        byte[] before = Files.readAllBytes(pool);
        Run refused = Run.farheap("reclaim", pool);
        refused.failedWith(
                ExitCode.WRONG_USE,
                "this frees objects of the pool",
                "nothing was changed",
                "farheap reclaim --yes " + pool);
        assertThat(Files.readAllBytes(pool)).isEqualTo(before);
        assertThat(Run.farheap("reclaim", "-d", pool).succeeded().out()).contains("10 objects, ");

        assertThat(Run.agreeing("reclaim", pool).succeeded().out())
                .contains(pool + ": freed 10 objects, ");
    }

    @Test
    void whatTheRootReachesStays() throws IOException {
        JsonNode done = json(Run.farheap("reclaim", "--yes", "--json", pool));
        assertThat(done.get("freed").asBoolean()).isTrue();
        assertThat(done.get("types")).hasSize(2);
        assertThat(done.get("objects").asInt()).isEqualTo(2 * LOST);
        assertThat(Run.farheap("reclaim", "-y", pool).succeeded().out())
                .isEqualTo(pool + ": nothing is to be freed\n");
        Run.farheap("check", pool).succeeded();
        try (PersistentHeap<Bank> heap = heap()) {
            assertThat(heap.root().accounts().get("Ada").owner()).isEqualTo("Ada");
            assertThat(heap.unreachable().objects()).isZero();
        }
    }

    // ---- what is no heap, or a damaged one ----

    @ParameterizedTest
    @ValueSource(strings = {"types", "reclaim", "reclaim --dry-run"})
    void aPoolOfSomethingElseIsRefused(String command) {
        Path other = dir.resolve("other.pool");
        Run.farheap("create", other).succeeded();
        refused(command, other, "there are no typed objects in this pool");
        try (ObjectPool raw = ObjectPool.open(other, null)) {
            raw.setLong(raw.root(128), 0, 7);
        }
        refused(command, other, "there are no typed objects in this pool");
    }

    private static void refused(String command, Path file, String... says) {
        String[] words = command.split(" ");
        Run run =
                words.length == 1
                        ? Run.farheap(words[0], file)
                        : Run.farheap(words[0], words[1], file);
        run.failedWith(ExitCode.BAD_DATA, says);
        assertThat(run.err()).contains(file.toString());
        assertThat(run.out()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"types", "reclaim", "reclaim --dry-run"})
    void aPoolThatIsNotThereIsRefused(String command) {
        String[] words = command.split(" ");
        Run.farheap(words[0], dir.resolve("no.pool"))
                .failedWith(ExitCode.ENVIRONMENT, "no.pool: No such file or directory");
        Run.farheap(words[0]).failedWith(ExitCode.WRONG_USE, "FILE");
    }

    /**
     * Each byte of a descriptor's head, so that the chain, its numbers and its lengths are wrong.
     */
    @ParameterizedTest
    @ValueSource(strings = {"types", "reclaim", "reclaim --dry-run"})
    void aDamagedTypeTableIsRefusedWithASentence(String command) throws IOException {
        byte[] sound = Files.readAllBytes(pool);
        int newest = lastDescriptor(sound);
        for (int at : List.of(0, 15, 18, 23, 26, 32, 36)) {
            byte[] damaged = sound.clone();
            damaged[newest + at] ^= 0x55;
            Files.write(pool, damaged);
            refused(command, pool);
        }
    }

    private static int lastDescriptor(byte[] bytes) {
        byte[] magic = "TYPEDESC".getBytes(StandardCharsets.US_ASCII);
        ByteBuffer wanted = ByteBuffer.wrap(magic);
        int last = -1;
        for (int at = 0; at + magic.length <= bytes.length; at += 8) {
            if (ByteBuffer.wrap(bytes, at, magic.length).equals(wanted)) {
                last = at;
            }
        }
        assertThat(last).isPositive();
        return last;
    }

    @Test
    void aReferenceThatLeadsNowhereIsASentence() throws IOException {
        int rootAt;
        try (ObjectPool raw = ObjectPool.open(pool, null)) {
            rootAt = Math.toIntExact(raw.root().offset());
        }
        byte[] bytes = Files.readAllBytes(pool);
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putLong(rootAt + 40, 1L << 50);
        Files.write(pool, bytes);
        refused("reclaim --dry-run", pool, "outside of the pool");
    }
}
