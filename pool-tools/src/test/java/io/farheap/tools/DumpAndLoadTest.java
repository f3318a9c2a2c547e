package io.farheap.tools;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.farheap.ObjectPool;
import io.farheap.PoolOptions;
import io.farheap.base.FarheapException;
import io.farheap.base.PersistenceDomain;
import io.farheap.objects.DeletedObjectException;
import io.farheap.objects.PersistentHeap;
import io.farheap.objects.dump.HeapLoad;
import io.farheap.objects.type.RootLayout;
import io.farheap.tools.EveryKind.Circle;
import io.farheap.tools.EveryKind.Colour;
import io.farheap.tools.EveryKind.Everything;
import io.farheap.tools.EveryKind.Key;
import io.farheap.tools.EveryKind.Node;
import io.farheap.tools.EveryKind.Point;
import io.farheap.tools.EveryKind.Root;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code farheap dump} and {@code farheap load}. */
class DumpAndLoadTest {
    private static final boolean DEEP = Boolean.getBoolean("test.deep");
    private static final int DAMAGED_DUMPS = DEEP ? 150 : 40;
    private static final int DAMAGED_POOLS = DEEP ? 150 : 40;

    private final long seed = Long.getLong("seed", new Random().nextLong());
    private final Random random = new Random(seed);

    @TempDir private Path dir;
    private Path pool;
    private Path copy;

    @BeforeEach
    void fill() {
        pool = dir.resolve("a.pool");
        copy = dir.resolve("b.pool");
        try (PersistentHeap<Root> heap = EveryKind.create(pool)) {
            EveryKind.fill(heap);
        }
    }

    private String dump(Path of) {
        return Run.farheap("dump", of).succeeded().out();
    }

    private Run load(String dump) throws IOException {
        Path file = Files.writeString(dir.resolve("dump.jsonl"), dump);
        Files.deleteIfExists(copy);
        return Run.farheap("load", "-i", file, "-s", "8M", copy);
    }

    private Run loadIntoWhatIsThere(String dump) throws IOException {
        Path file = Files.writeString(dir.resolve("dump.jsonl"), dump);
        Files.deleteIfExists(copy);
        ObjectPool.at(copy).layout(RootLayout.LAYOUT).size(8 << 20).create().close();
        return Run.farheap("load", "-i", file, copy);
    }

    // ---- an equal heap ----

    @Test
    void whatIsLoadedIsDumpedTheSame() throws IOException {
        String dump = dump(pool);
        assertThat(load(dump).succeeded().out()).contains(copy + ": loaded ", " objects");
        assertThat(dump(copy)).isEqualTo(dump);
        Run.farheap("check", copy).succeeded();
        assertThat(Run.farheap("reclaim", "-d", copy).succeeded().out())
                .isEqualTo(Run.farheap("reclaim", "-d", pool).out().replace(pool + "", copy + ""));
    }

    @Test
    void aProgramFindsEverythingInWhatWasLoaded() throws IOException {
        load(dump(pool)).succeeded();
        try (PersistentHeap<Root> heap = EveryKind.open(copy)) {
            EveryKind.assertFilled(heap);
            Everything one = heap.root().everything();
            assertThat(one.keys()).containsKey(new Key("two", 2, Colour.GREEN));
            assertThat(one.ordered().firstKey()).isEqualTo("z");
            Node first = heap.root().nodes().get(0);
            assertThat(first.next().next().next()).isEqualTo(first);
            assertThat(one.members().contains(first)).isTrue();
            assertThat(one.shape()).isInstanceOf(Circle.class);
            Assertions.assertThatThrownBy(() -> one.lost().name())
                    .isInstanceOf(DeletedObjectException.class);
            one.ordered().put("y", 5L); // and goes on with it
            one.keys().put(new Key("three", 3, null), new Point(3, 3));
            assertThat(one.keys()).hasSize(3);
        }
        Run.farheap("check", copy).succeeded();
    }

    /** Maps lose and get entries in another order, nodes move, objects come and go. */
    @Test
    void aDumpTellsNothingOfTheHeapsHistory() throws IOException {
        String dump = dump(pool);
        try (PersistentHeap<Root> heap = EveryKind.open(pool)) {
            Everything one = heap.root().everything();
            for (int i = 0; i < 100; i++) {
                one.names().put("gone" + i, (long) i);
            }
            long kept = one.names().remove("name3");
            for (int i = 99; i >= 0; i--) {
                one.names().remove("gone" + i);
            }
            one.names().put("name3", kept);
        }
        assertThat(dump(pool)).isEqualTo(dump);
    }

    @Test
    void aHeapWithoutAnythingIsOne() throws IOException {
        Files.delete(pool);
        EveryKind.create(pool).close();
        String dump = dump(pool);
        load(dump).succeeded();
        assertThat(dump(copy)).isEqualTo(dump);
    }

    // ---- lines ----

    @Test
    void eachLineIsAnObjectOfJson() throws IOException {
        JsonMapper mapper = JsonMapper.builder().build();
        List<JsonNode> lines = new ArrayList<>();
        for (String line : dump(pool).lines().toList()) {
            lines.add(mapper.readTree(line));
        }
        assertThat(lines).allMatch(JsonNode::isObject);
        JsonNode head = lines.get(0);
        assertThat(head.get("deleted").asInt()).isEqualTo(1);
        JsonNode everything =
                lines.stream()
                        .filter(line -> line.path("type").asText().equals("Everything#1"))
                        .filter(line -> line.has("id"))
                        .findFirst()
                        .orElseThrow()
                        .get("fields");
        assertThat(everything.get("text").asText()).isEqualTo(EveryKind.TEXT);
        assertThat(everything.get("nothing").isNull()).isTrue();
        assertThat(everything.get("ordered").get("order").asText()).endsWith("Backwards");
        assertThat(everything.get("count").asLong()).isEqualTo(42);
        assertThat(everything.get("event").get("@type").asText()).endsWith("Moved#1");
    }

    @Test
    void oneTypeAloneIsShownAndNotLoaded() throws IOException {
        String nodes = Run.farheap("dump", "--type=Node", pool).succeeded().out();
        assertThat(nodes.lines())
                .hasSize(EveryKind.NODES + 1)
                .allMatch(line -> line.contains("Node"));
        load(nodes).failedWith(ExitCode.BAD_DATA, "line 1: this is no dump", "is removed again");
        assertThat(copy).doesNotExist();
        loadIntoWhatIsThere(nodes).failedWith(ExitCode.BAD_DATA, "is still empty");
        Run.farheap("dump", "--type=Nobody", pool)
                .failedWith(ExitCode.WRONG_USE, "no type of objects with the name Nobody");
    }

    @Test
    void aDumpWritesNothing() throws IOException {
        byte[] before = Files.readAllBytes(pool);
        String unused = dump(pool);
        assertThat(Files.readAllBytes(pool)).isEqualTo(before);
    }

    // ---- refusals ----

    @Test
    void aPoolThatIsNotEmptyIsLeftAsItIs() throws IOException {
        Path file = Files.writeString(dir.resolve("dump.jsonl"), dump(pool));
        byte[] before = content(pool);
        Run refused = Run.farheap("load", "-i", file, pool);
        refused.failedWith(
                ExitCode.WRONG_USE,
                pool + ": the pool is not empty",
                "nothing was changed; farheap dump " + pool + " shows what is in it");
        assertThat(refused.err())
                .as("it may be the only copy")
                .doesNotContain("remove", "farheap rm", "a part of it");
        assertThat(content(pool)).isEqualTo(before);
        assertThat(dump(pool)).isEqualTo(Files.readString(file));
    }

    /** Without the pool's header and descriptor, which an opening writes to. */
    private static byte[] content(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        return Arrays.copyOfRange(bytes, bytes.length / 2, bytes.length);
    }

    @Test
    void aDumpThatWasCutIsRefusedAndSoIsWhatItMade() throws IOException {
        List<String> lines = dump(pool).lines().toList();
        for (int kept = 0; kept < lines.size(); kept += 1 + random.nextInt(3)) {
            String cut = String.join("\n", lines.subList(0, kept));
            load(cut).failedWith(ExitCode.BAD_DATA, "dump.jsonl: line ", "is removed again");
            assertThat(copy).doesNotExist();
            Run run = loadIntoWhatIsThere(cut);
            run.failedWith(ExitCode.BAD_DATA, "dump.jsonl: line ");
            assertThat(copy).exists();
            if (run.err().contains("a part of it was loaded")) {
                assertThat(run.err()).contains("remove " + copy);
                Run.farheap("dump", copy).failedWith(ExitCode.BAD_DATA, "did not come to its end");
                Assertions.assertThatThrownBy(() -> EveryKind.open(copy))
                        .isInstanceOf(FarheapException.class)
                        .hasMessageContaining("did not come to its end");
                assertSaidToBeCut(copy);
            }
        }
    }

    /** It is consistent, and nobody must take it for the pool that was to be loaded. */
    private void assertSaidToBeCut(Path cut) throws IOException {
        String what = cut + ": a dump was loaded into it and did not come to its end";
        Run check = Run.farheap("check", cut).failedWith(ExitCode.BAD_DATA, what);
        assertThat(check.out()).contains("not consistent", "next step: farheap rm " + cut);
        Run repair = Run.farheap("check", "-r", "-y", cut).failedWith(ExitCode.BAD_DATA, what);
        assertThat(repair.out()).contains("cannot repair", "next step: farheap rm " + cut);
        Run status = Run.farheap("status", cut);
        assertThat(status.exitCode()).isEqualTo(5);
        assertThat(status.out()).contains("incomplete: a dump was", "farheap rm " + cut);
        Path backup = dir.resolve("cut.bak");
        Run.farheap("backup", cut, backup).failedWith(ExitCode.BAD_DATA, what, "no backup");
        assertThat(backup).doesNotExist();
    }

    @Test
    void aLoadThatWasKilledIsFoundThroughTheDiskJournal() throws IOException {
        Path open = dir.resolve("open");
        Path killed = Files.createDirectory(dir.resolve("killed")).resolve("open");
        PoolOptions journaled =
                PoolOptions.builder().persistence(PersistenceDomain.JOURNAL).build();
        try (ObjectPool raw =
                        ObjectPool.at(open)
                                .layout(RootLayout.LAYOUT)
                                .size(8 << 20)
                                .options(journaled)
                                .create();
                HeapLoad load = new HeapLoad(raw)) {
            load.types(List.of(), type -> 0, 0, 0);
            Run.farheap("backup", open, dir.resolve("b"))
                    .failedWith(ExitCode.BAD_DATA, "is under way", "wait for its end");
            for (String name : List.of("open", "open.disk-journal")) {
                Files.copy(dir.resolve(name), killed.resolveSibling(name));
            }
        }
        assertSaidToBeCut(killed);
    }

    @Test
    void ofAPoolsetFileItIsWhatWasMadeThatGoes() throws IOException {
        Path set = new PoolSets(dir).write("new.set", "8M @p0\nREPLICA\n8M @q0\n");
        Path file = Files.writeString(dir.resolve("dump.jsonl"), "{");

        Run.farheap("load", "-i", file, set).failedWith(ExitCode.BAD_DATA, "is removed again");
        assertThat(dir.resolve("p0")).doesNotExist();
        assertThat(dir.resolve("q0")).doesNotExist();

        ObjectPool.at(set).layout(RootLayout.LAYOUT).create().close();
        Run.farheap("load", "-i", file, set).failedWith(ExitCode.BAD_DATA, "is still empty");
        assertThat(dir.resolve("p0")).exists();
    }

    @Test
    void whatCanBeWrongInADumpIsSaidWithItsLine() throws IOException {
        String dump = dump(pool);
        String[][] wrong = {
            {"\"colour\":\"GREEN\"", "\"colour\":\"PINK\"", "PINK is no constant of"},
            {"\"flag\":true", "\"flag\":7", "7 is no boolean"},
            {"\"small\":-3", "\"small\":300", "300 is no byte"},
            {"\"text\":", "\"tixt\":", "has no field tixt"},
            {"\"shape\":", "\"shape\":2,\"x\":", "is referred to as a"},
            {"\"lost\":", "\"lost\":99999,\"x\":", "there is no object 99999"},
            {"[\"name1\",1]", "[\"name3\",3]", "has a key or element twice"},
            {"[\"b\",2]", "[\"a\",2]", "is sorted, and has a behind a"},
            {"\"when\":\"", "\"when\":\"x", "is no Instant"},
            {"\"format\":1", "\"format\":9", "the dump has format 9"},
            {"\"type\":\"map<String, long>\"", "\"type\":\"heap<long>\"", "unknown type"},
            {"\"root\":", "\"root\":9999,\"x\":", "the root object has the number 9999"},
            {"{\"id\":2,", "{\"id\":3,", "objects come by their numbers"},
        };
        for (String[] one : wrong) {
            assertThat(dump).contains(one[0]);
            load(dump.replace(one[0], one[1]))
                    .failedWith(ExitCode.BAD_DATA, "dump.jsonl: line ", one[2]);
        }
    }

    /** Any character of a dump may be another one: it is loaded all the same, or refused. */
    @Test
    @Tag("sliced")
    void aDamagedDumpIsASentence() throws IOException {
        String dump = dump(pool);
        int refused = 0;
        for (int i = 0; i < DAMAGED_DUMPS; i++) {
            StringBuilder damaged = new StringBuilder(dump);
            int at = random.nextInt(dump.length());
            String with = "{}[],:\"#-0179eEx\u00e9nt";
            damaged.setCharAt(at, with.charAt(random.nextInt(with.length())));
            Run run = load(damaged.toString());
            if (run.exitCode() != 0) {
                refused++;
                assertThat(run.exitCode())
                        .as("seed %d, character %d: %s", seed, at, run.err())
                        .isIn(ExitCode.BAD_DATA, ExitCode.ENVIRONMENT);
                assertThat(run.err().lines()).hasSize(1);
            }
        }
        assertThat(refused).as("seed %d", seed).isGreaterThan(DAMAGED_DUMPS / 4);
    }

    /** Any bytes of any object: shown, or refused with a sentence, and never for ever. */
    @Test
    @Tag("sliced")
    void aDamagedPoolIsASentence() throws IOException {
        byte[] sound = Files.readAllBytes(pool);
        List<long[]> objects = new ArrayList<>();
        try (ObjectPool raw = ObjectPool.open(pool, null)) {
            raw.objects()
                    .forEach(one -> objects.add(new long[] {one.offset(), raw.usableSize(one)}));
            objects.add(new long[] {raw.root().offset(), 64});
        }
        int refused = 0;
        for (int i = 0; i < DAMAGED_POOLS; i++) {
            byte[] damaged = sound.clone();
            for (int many = random.nextInt(4); many >= 0; many--) {
                damage(damaged, objects);
            }
            Files.write(pool, damaged);
            Run run = i % 2 == 0 ? Run.farheap("dump", pool) : Run.farheap("reclaim", "-d", pool);
            if (run.exitCode() != 0) {
                refused++;
                assertThat(run.exitCode()).as("seed %d: %s", seed, run.err()).isEqualTo(1);
                assertThat(run.err().lines()).hasSize(1);
                assertThat(run.err()).contains(pool.toString());
            }
        }
        assertThat(refused).as("seed %d", seed).isGreaterThan(DAMAGED_POOLS / 10);
    }

    private void damage(byte[] bytes, List<long[]> objects) {
        long[] victim = objects.get(random.nextInt(objects.size()));
        int at = (int) (victim[0] + random.nextInt((int) Math.min(victim[1], 512)) & ~7);
        long other = objects.get(random.nextInt(objects.size()))[0];
        byte[] word = new byte[Long.BYTES];
        switch (random.nextInt(3)) {
            case 0 -> random.nextBytes(word);
            case 1 -> Arrays.fill(word, (byte) 0xFF);
            default -> {
                for (int i = 0; i < word.length; i++) {
                    word[i] = (byte) (other >> Byte.SIZE * i);
                }
            }
        }
        System.arraycopy(word, 0, bytes, at, 1 + random.nextInt(word.length));
    }

    @Test
    void whatIsNotThereIsRefused() {
        Run.farheap("dump", dir.resolve("no.pool"))
                .failedWith(ExitCode.ENVIRONMENT, "no.pool: No such file or directory");
        Run.farheap("load", "-i", dir.resolve("no.jsonl"), "-s", "8M", copy)
                .failedWith(ExitCode.ENVIRONMENT, "no.jsonl: No such file or directory");
        assertThat(copy).doesNotExist();
    }

    @Test
    void theLoaderReadsUtf8() throws IOException {
        String dump = dump(pool).replace("\\u00EB", "\u00eb");
        assertThat(dump.getBytes(UTF_8)).hasSizeGreaterThan(dump.length());
        load(dump).succeeded();
        assertThat(dump(copy)).isEqualTo(dump(pool));
    }
}
