package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.layout.Checksum;
import io.farheap.layout.Descriptor;
import io.farheap.layout.LaneLayout;
import io.farheap.layout.LogLayout;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InfoCommandTest {
    private static final int OBJECTS = 100;
    private static final int BYTES = 100;
    private static final long HEAP = Descriptor.DEFAULT_HEAP_OFFSET;
    private static final long FIRST_CHUNK_HEADER = HEAP + 1024 + 64;
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir Path dir;
    private Path pool;
    private Path set;

    @BeforeEach
    void aPoolAndASetWithObjects() throws IOException {
        pool = dir.resolve("a.pool");
        try (ObjectPool created = ObjectPool.at(pool).layout("info").size(16 << 20).create()) {
            fill(created);
        }
        set = dir.resolve("z.set");
        Files.writeString(
                set,
                "PMEMPOOLSET\n8M " + dir + "/a\n8M " + dir + "/b\nREPLICA\n16M " + dir + "/c\n");
        try (ObjectPool created = ObjectPool.create(set, "info")) {
            fill(created);
        }
    }

    private static void fill(ObjectPool pool) {
        Ref root = pool.root(64);
        pool.transaction(
                tx -> {
                    for (int i = 0; i < OBJECTS; i++) {
                        Ref object = tx.allocate(BYTES, 7);
                        tx.setLong(object, 0, 0x6161616161616161L);
                        tx.setRef(root, 0, object);
                    }
                    tx.setRef(root, 16, tx.allocate(3 << 20, 8));
                });
    }

    /** That is done without picocli, which finds no option behind two dashes. */
    @Test
    void aFileAloneIsShownAsWithAllThatMayBeSaid() throws IOException {
        Path noPool = Files.writeString(dir.resolve("text"), "PMEMPOOLSET\nnonsense\n");
        Path damaged = dir.resolve("damaged");
        Files.copy(pool, damaged);
        try (RandomAccessFile file = new RandomAccessFile(damaged.toFile(), "rw")) {
            file.write(new byte[] {1, 2, 3});
        }
        for (Path file : List.of(pool, set, damaged, noPool, dir, dir.resolve("none"))) {
            assertThat(Run.farheap("info", file)).isEqualTo(Run.farheap("info", "--", file));
            assertThat(Run.inColour("info", file)).isEqualTo(Run.inColour("info", "--", file));
        }
    }

    private JsonNode json(Object... words) throws IOException {
        List<Object> all = new ArrayList<>(List.of("info", "--json"));
        all.addAll(List.of(words));
        return JSON.readTree(Run.farheap(all.toArray()).succeeded().out());
    }

    /** Whether this machine's kernel tells or not: it is said, and good files stay good. */
    @Test
    void badBlocksAreSaidForEachPart() throws IOException {
        Run run = Run.farheap("info", "-k", "yes", set).succeeded();
        assertThat(run.out())
                .containsPattern(
                        "path +: " + dir + "/a\n *bad blocks(?: +: none| not known +: .+)\n")
                .containsPattern(
                        "path +: " + dir + "/b\n *bad blocks(?: +: none| not known +: .+)\n");
        JsonNode parts =
                JSON.readTree(Run.farheap("info", "--bad-blocks=yes", "--json", set).out())
                        .get("badBlocks");
        assertThat(parts).hasSize(2);
        assertThat(parts.get(0).get("path").asText()).isEqualTo(dir + "/a");
        assertThat(parts.get(0).get("known").isBoolean()).isTrue();
        assertThat(Run.farheap("info", "-k", "no", set).succeeded().out())
                .isEqualTo(Run.farheap("info", set).succeeded().out())
                .doesNotContain("ad blocks");
        Run.farheap("info", "-k", "maybe", set).failedWith(2, "maybe");
    }

    @Test
    void headersAndDescriptorAreShown() throws IOException {
        assertThat(Run.farheap("info", pool).succeeded().out())
                .contains(
                        "path                     : " + pool + "\n",
                        "Mandatory features       : 0x6 [CKSUM_2K, SHUTDOWN_STATE]\n",
                        "Layout                   : info\n",
                        "Number of lanes          : 1024\n")
                .doesNotContain("long double", "Objects", "\u001b[");
        JsonNode json = json(pool);
        assertThat(json.at("/poolHeader/major").asInt()).isEqualTo(6);
        assertThat(json.at("/poolHeader/mandatoryFeatures"))
                .extracting(JsonNode::asText)
                .containsExactly("CKSUM_2K", "SHUTDOWN_STATE");
        assertThat(json.at("/poolHeader/mandatoryFeaturesBits").asText()).isEqualTo("0x6");
        assertThat(json.at("/poolHeader/checksumIsRight").asBoolean()).isTrue();
        assertThat(json.at("/pmemObjHeader/heapOffset").asText()).isEqualTo("0x302000");
        assertThat(json.at("/problems")).isEmpty();
        assertThat(Run.farheap("info", "-v", "-v", "-n", pool).succeeded().out())
                .contains("  long double", "size                     : 16.0M\n");
    }

    @Test
    void sizesForPeopleHaveUnitsWhereTheyAreNoMultiples() throws IOException {
        Path odd = dir.resolve("odd");
        Run.farheap("create", "-s", "10000K", odd).succeeded();
        assertThat(Run.farheap("info", "-n", "-s", odd).succeeded().out())
                .contains(
                        "size                     : 9.8M\n",
                        "Run id                   : 2\n",
                        "Largest free block       : 6.2M\n");
    }

    /** No zone of it has a header before it is first opened. */
    @Test
    void allOfAPoolThatWasNeverOpenedIsFree() throws IOException {
        Path fresh = dir.resolve("fresh");
        Run.farheap("create", "-s", "16M", fresh).succeeded();
        zero(fresh, HEAP + 1024, 64);
        assertThat(Run.farheap("info", "-s", "-m", fresh).succeeded().out())
                .contains(
                        "Largest free block       : 12845056\n",
                        "zone 0: 49 chunks of 256 KiB, none was ever used\n");
    }

    @Test
    void aRootThatIsNoObjectIsAProblem() throws IOException {
        long root = Descriptor.ROOT_OFFSET;
        for (long wild : new long[] {0x800000006ab450L, HEAP + 7, 1}) {
            change(pool, root, wild);
            for (String how : List.of("-o", "-s")) {
                Run.farheap("info", how, pool)
                        .failedWith(
                                ExitCode.BAD_DATA, "root: no allocated object starts at " + wild);
            }
        }
    }

    @Test
    void ofAFileThatWasCutOffTheSizeIsAsItIs() throws IOException {
        try (RandomAccessFile bytes = new RandomAccessFile(pool.toFile(), "rw")) {
            bytes.setLength(9_000_001);
        }
        assertThat(Run.farheap("info", pool).err()).contains("has 9000001 bytes");
    }

    @Test
    void aZoneWithoutHeaderThatTheRootLiesInIsAProblem() throws IOException {
        zero(pool, HEAP + 1024, 64);
        Run run = Run.farheap("info", "-s", pool);
        assertThat(run.exitCode()).isEqualTo(ExitCode.BAD_DATA);
        assertThat(run.err())
                .contains("the header of zone 0 is zero", "root: no allocated object starts at");
    }

    @Test
    void lanesWithoutCapacityAreAProblem() throws IOException {
        zero(pool, Descriptor.DEFAULT_LANES_OFFSET, (int) LaneLayout.SIZE);
        Run.farheap("info", "-l", "-R", pool)
                .failedWith(ExitCode.BAD_DATA, "Undo Log of lane 0 has a capacity of 0");
    }

    private static void change(Path file, long at, long value) throws IOException {
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            bytes.seek(at);
            bytes.writeLong(Long.reverseBytes(value));
        }
    }

    private static void zero(Path file, long at, int length) throws IOException {
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            bytes.seek(at);
            bytes.write(new byte[length]);
        }
    }

    @Test
    void aSetShowsItsReplicasAndOneOfThem() throws IOException {
        JsonNode json = json("-v", set);
        assertThat(json.at("/poolsetStructure/numberOfReplicas").asInt()).isEqualTo(2);
        assertThat(json.at("/poolsetStructure/replicas/0/parts/1/path").asText())
                .isEqualTo(dir + "/b");
        String next = json.at("/part1Header/previousPartUuid").asText();
        assertThat(next).isEqualTo(json.at("/poolHeader/uuid").asText());
        JsonNode other = json("-p1", set);
        assertThat(other.at("/poolHeader/uuid").asText())
                .isEqualTo(json.at("/poolHeader/nextReplicaUuid").asText());
        Run.farheap("info", "-p", "2", set).failedWith(ExitCode.WRONG_USE, "no replica 2");
    }

    @Test
    void statisticsCountObjectsByTypeAndUnitsByClass() throws IOException {
        JsonNode statistics = json("-s", pool).get("statistics");
        assertThat(statistics.at("/objects/numberOfObjects").asInt()).isEqualTo(OBJECTS + 1);
        assertThat(statistics.at("/objects/numberOfBytes").asInt())
                .isEqualTo(OBJECTS * 128 + 13 * (256 << 10));
        assertThat(statistics.at("/objectsByType/0/typeNumber").asText()).isEqualTo("7");
        assertThat(statistics.at("/objectsByType/0/numberOfObjects").asInt()).isEqualTo(OBJECTS);
        assertThat(statistics.at("/objectsByType/0/numberOfBytes").asInt())
                .isEqualTo(OBJECTS * 128);
        assertThat(statistics.at("/internalObjects/numberOfObjects").asInt()).isEqualTo(1);
        assertThat(statistics.at("/inconsistencies").asInt()).isZero();
        assertThat(statistics.at("/heap/zones/0/blocks/used").asInt()).isEqualTo(1);
        assertThat(statistics.at("/heap/zones/0/sizes/used").asInt()).isEqualTo(13);
        JsonNode one = json("-s", "-t8", pool).get("statistics");
        assertThat(one.at("/objects/numberOfObjects").asInt()).isEqualTo(1);
    }

    @Test
    void rangesChooseObjectsLanesZonesAndChunks() throws IOException {
        assertThat(json("-O", pool).get("objects")).hasSize(OBJECTS + 1);
        assertThat(json("-O", "-t7", pool).get("objects")).hasSize(OBJECTS);
        assertThat(json("-O", "-t8-", pool).get("objects")).hasSize(1);
        JsonNode some = json("-O", "-r", "-1,5,98-", pool).get("objects");
        assertThat(some.findValuesAsText("object"))
                .containsExactly("0", "1", "5", "98", "99", "100");
        assertThat(json("-OZ1", pool).get("objects")).isEmpty();
        assertThat(json("-l", pool).get("lanes")).hasSize(1024);
        assertThat(json("--lanes=3-5", pool).get("lanes").findValuesAsText("lane"))
                .containsExactly("3", "4", "5");
        assertThat(json("-lR", pool).get("lanes")).isEmpty();
        JsonNode all = json("-ZC", pool).at("/zones/0/chunks");
        assertThat(all.size()).isGreaterThan(3);
        assertThat(json("-C0", "-b", pool).at("/zones/0/chunks/0/units").size()).isGreaterThan(5);
        assertThat(json("-C", "-T", "used", pool).at("/zones/0/chunks").findValuesAsText("type"))
                .containsExactly("used");
        assertThat(json("-C", "-T", "run,free", pool).at("/zones/0/chunks").size())
                .isEqualTo(all.size() - 1);
    }

    @Test
    void bytesAreShownWhereAskedFor() {
        assertThat(Run.farheap("info", "-Od", "-r0", "-A", "-a", pool).succeeded().out())
                .contains(
                        "|aaaaaaaa",
                        "Header bytes             : 16",
                        "Flags                    : 0x0");
        assertThat(Run.farheap("info", "-x", "-H", pool).succeeded().out())
                .contains("00000000  50 4d 45 4d 4f 42 4a 00", "|MEMORY_HEAP_HDR.|", "*\n");
        assertThat(Run.farheap("info", "-o", pool).succeeded().out())
                .contains("Root object:", "Size                     : 64");
    }

    @Test
    void theMapShowsEachChunkAndIsColouredOnlyWhenTold() {
        Run plain = Run.farheap("info", "-m", pool).succeeded();
        assertThat(plain.out()).contains("Heap map:", "#############").doesNotContain("\u001b");
        assertThat(plain.out().lines().filter(line -> line.matches(" +0 [.#0-9]+"))).hasSize(1);
        assertThat(Run.farheap("info", "-m", "--color=always", pool).succeeded().out())
                .contains("\u001b[34m#############");
    }

    @Test
    void whatACrashLeftInALaneIsShown() throws IOException {
        long log = Descriptor.DEFAULT_LANES_OFFSET + 3 * LaneLayout.SIZE + LaneLayout.UNDO;
        long entry = log + LogLayout.HEADER_SIZE;
        try (RandomAccessFile file = new RandomAccessFile(pool.toFile(), "rw")) {
            ByteBuffer bytes = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
            bytes.putLong(0, LogLayout.firstWord(LogLayout.BUFFER_COPY, HEAP + (1 << 20)));
            bytes.putLong((int) LogLayout.BUFFER_SIZE, 40);
            long sum =
                    Checksum.of(
                            MemorySegment.ofArray(bytes.array()),
                            0,
                            bytes.capacity(),
                            LogLayout.BUFFER_CHECKSUM,
                            Checksum.NO_SKIP);
            file.seek(log + LogLayout.GEN_NUM);
            long generation = Long.reverseBytes(file.readLong());
            bytes.putLong((int) LogLayout.BUFFER_CHECKSUM, Checksum.continued(sum, generation));
            file.seek(entry);
            file.write(bytes.array());
        }
        JsonNode lanes = json("-lR", pool).get("lanes");
        assertThat(lanes).hasSize(1);
        assertThat(lanes.at("/0/lane").asInt()).isEqualTo(3);
        assertThat(lanes.at("/0/undoLog/logEntries/0").asText())
                .isEqualTo("BUF_CPY Offset: 0x0000000000402000 Size: 40");
        assertThat(json("-l", "-R", set).get("lanes")).isEmpty();
    }

    @Test
    void ofADamagedPoolTheRestIsShown() throws IOException {
        damage(pool, 24);
        damage(pool, Descriptor.OFFSET);
        damage(pool, FIRST_CHUNK_HEADER + 4);

        Run run = Run.farheap("info", "-s", pool);

        assertThat(run.exitCode()).isEqualTo(ExitCode.BAD_DATA);
        assertThat(run.err())
                .contains("checksum of pool header", "checksum of pool descriptor", "chunk");
        assertThat(run.out()).contains("[wrong! should be: 0x", "Statistics:", "Number of lanes");
    }

    @Test
    void aHeapSizeThatIsNoneIsSaid() throws IOException {
        damage(pool, Descriptor.HEAP_SIZE + 6);
        Run run = Run.farheap("info", "-s", pool);
        assertThat(run.exitCode()).isEqualTo(ExitCode.BAD_DATA);
        assertThat(run.err()).contains("smaller than the heap size");
        assertThat(run.out()).contains("Layout                   : info");
    }

    @Test
    void whereAPartIsMissingTheOthersAreShown() throws IOException {
        Files.delete(dir.resolve("b"));
        Run run = Run.farheap("info", "-s", set);
        assertThat(run.exitCode()).isEqualTo(ExitCode.BAD_DATA);
        assertThat(run.err()).isEqualTo("farheap: " + dir + "/b: No such file or directory\n");
        assertThat(run.out()).contains("Layout                   : info", "Type 7:");
        Run.farheap("info", "-s", "-p1", set).succeeded();

        Files.delete(dir.resolve("a"));
        Run.farheap("info", set).failedWith(ExitCode.BAD_DATA, dir + "/a: No such file");
    }

    @Test
    void aSinglePartIsShownByItself() {
        Run first = Run.farheap("info", "-s", dir.resolve("a"));
        assertThat(first.out()).contains("Layout                   : info", "Type 7:");
        assertThat(first.err()).contains("one part of several");
        Run later = Run.farheap("info", dir.resolve("b")).succeeded();
        assertThat(later.out()).contains("POOL Header:", "not the first").doesNotContain("Layout");
    }

    @Test
    void whatIsNoPoolIsOneOnlyByForce() throws IOException {
        Files.write(pool, new byte[9 << 20]);
        Run.farheap("info", pool).failedWith(ExitCode.BAD_DATA, "cannot determine type of pool");
        Run forced = Run.farheap("info", "-f", "obj", pool);
        assertThat(forced.exitCode()).isEqualTo(ExitCode.BAD_DATA);
        assertThat(forced.out()).contains("PMEM OBJ Header");
        for (String words : List.of("-f blk", "-R", "-b", "-T run", "-A", "-d", "-r x", "-l5-3")) {
            List<Object> all = new ArrayList<>(List.of("info"));
            all.addAll(List.of(words.split(" ")));
            all.add(pool);
            Run.farheap(all.toArray()).failedWith(ExitCode.WRONG_USE);
        }
    }

    private static void damage(Path file, long offset) throws IOException {
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            bytes.seek(offset);
            int old = bytes.read();
            bytes.seek(offset);
            bytes.write(old ^ 0x5A);
        }
    }
}
