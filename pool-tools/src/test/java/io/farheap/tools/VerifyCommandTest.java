package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.layout.Descriptor;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code farheap verify} on the copies of this machine. */
class VerifyCommandTest {
    private static final int DIFFERENT = 1;
    private static final int IN_USE = 3;
    private static final int NOT_ALL_EQUAL = 5;
    private static final int TYPE = 7;
    private static final long HEADER = 4096;

    /** Of the first chunk, behind the headers of heap, zone and chunks. */
    private static final long FIRST_RUN = Descriptor.DEFAULT_HEAP_OFFSET + 1024 + 0x80000;

    @TempDir Path dir;
    private Path set;
    private long object;
    private long freed;

    /** Replicas of two parts each, named a0, a1, b0, b1, ... */
    private void pool(int copies) throws IOException {
        set = dir.resolve("bank.set");
        StringBuilder text = new StringBuilder("PMEMPOOLSET\n");
        for (int i = 0; i < copies; i++) {
            char name = (char) ('a' + i);
            text.append(i == 0 ? "" : "REPLICA\n");
            text.append("8M %1$s/%2$s0\n8M %1$s/%2$s1\n".formatted(dir, name));
        }
        Files.writeString(set, text);
        try (ObjectPool pool = ObjectPool.create(set, "bank")) {
            Ref root = pool.root(64);
            Ref[] given = new Ref[1];
            pool.transaction(
                    tx -> {
                        Ref kept = tx.allocate(1000, TYPE);
                        object = kept.offset();
                        given[0] = tx.allocate(400 << 10, TYPE);
                        freed = given[0].offset();
                        tx.setRef(root, 0, kept);
                        for (int i = 0; i < 125; i++) {
                            tx.setLong(kept, 8 * i, i);
                        }
                    });
            pool.transaction(tx -> tx.free(given[0]));
        }
    }

    private void flip(String part, long offset, int bytes) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(dir.resolve(part).toFile(), "rw")) {
            byte[] old = new byte[bytes];
            file.seek(offset);
            file.readFully(old);
            for (int i = 0; i < bytes; i++) {
                old[i] ^= 0x11;
            }
            file.seek(offset);
            file.write(old);
        }
    }

    private Map<Path, Integer> content() throws IOException {
        Map<Path, Integer> sums = new TreeMap<>();
        try (Stream<Path> files = Files.list(dir)) {
            for (Path file : files.toList()) {
                sums.put(file, Arrays.hashCode(Files.readAllBytes(file)));
            }
        }
        return sums;
    }

    private JsonNode json(int exitCode) throws IOException {
        Run run = Run.farheap("verify", "--json", set);
        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).as(run.out()).isEqualTo(exitCode);
        return new ObjectMapper().readTree(run.out());
    }

    @Test
    void equalCopiesAreEqualAndFreeMemoryMeansNothing() throws IOException {
        pool(2);
        flip("b0", freed, 4096);
        flip("a1", (8 << 20) - 4096, 100);
        Map<Path, Integer> before = content();

        Run run = Run.farheap("verify", set).succeeded();

        assertThat(run.out().lines())
                .containsExactly(
                        "replica 0, here, "
                                + dir.resolve("a0")
                                + ": equal (the others were compared with it)",
                        "replica 1, here, " + dir.resolve("b0") + ": equal",
                        "verdict: all 2 copies are equal");
        assertThat(content()).isEqualTo(before);
        assertThat(json(0).get("equal").asBoolean()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void aReferenceWhoseHeapIsDamagedIsWrongAndNotTheOthers(int copies) throws IOException {
        pool(copies);
        flip("a0", FIRST_RUN, 8);
        flip("b0", freed, 64);

        Run run = Run.farheap("verify", set);

        assertThat(run.exitCode()).as(run.out()).isEqualTo(DIFFERENT);
        assertThat(run.out().lines())
                .anyMatch(
                        line ->
                                line.startsWith(
                                        "replica 0, here, " + dir.resolve("a0") + ": wrong"))
                .anyMatch(
                        line ->
                                line.startsWith(
                                        "replica 1, here, " + dir.resolve("b0") + ": equal"))
                .anyMatch(
                        line ->
                                line.startsWith(
                                        "verdict: replica"
                                                + (copies == 2 ? " 1 is" : "s 1, 2 are")
                                                + " right, replica 0 is wrong"))
                .anyMatch(line -> line.startsWith("next step: move " + dir.resolve("a0")));
    }

    @Test
    void whereAllAreDamagedInTheSameWayNoneIsRight() throws IOException {
        pool(2);
        flip("a0", FIRST_RUN, 8);
        flip("b0", FIRST_RUN, 8);

        Run run = Run.farheap("verify", set);

        assertThat(run.exitCode()).as(run.out()).isEqualTo(DIFFERENT);
        assertThat(run.out())
                .contains(
                        "verdict: replicas 0, 1 are wrong: ", "next step: farheap check -r " + set);
    }

    @Test
    void saysWhereCopiesDifferAndWhatLiesThereAndThatTwoCantTellWhichIsRight() throws IOException {
        pool(2);
        flip("b0", object + 16, 24);
        flip("b0", object + 200, 1);

        JsonNode result = json(DIFFERENT);

        JsonNode copy = result.get("copies").get(1);
        assertThat(copy.get("finding").asText()).isEqualTo("DIFFERENT");
        assertThat(copy.get("differingPlaces").asLong()).isEqualTo(2);
        assertThat(copy.get("differingBytes").asLong()).isEqualTo(32);
        JsonNode first = copy.get("differences").get(0);
        assertThat(first.get("offset").asLong()).isEqualTo(object + 16);
        assertThat(first.get("length").asLong()).isEqualTo(24);
        assertThat(first.get("file").asText()).isEqualTo(dir.resolve("b0").toString());
        assertThat(first.get("fileOffset").asLong()).isEqualTo(object + 16);
        assertThat(first.get("meaning").asText())
                .startsWith("the object at " + object + " (type 7), bytes 16 to 39 of ");
        assertThat(result.get("verdict").asText())
                .startsWith("replicas 0, 1 differ, and which is right can't be told");
        assertThat(Run.farheap("verify", set).out())
                .contains("next step: look at the disks", "farheap sync " + set)
                .contains("  image offset " + (object + 200) + ", 8 bytes: the object at ");
    }

    @Test
    void ofThreeCopiesTheOneThatStandsAloneIsWrong() throws IOException {
        pool(3);
        flip("a0", object + 16, 8); // the one that the others are compared with

        Run run = Run.farheap("verify", set);

        assertThat(run.exitCode()).isEqualTo(DIFFERENT);
        assertThat(run.out())
                .contains("replica 0, here, " + dir.resolve("a0") + ": wrong")
                .contains("replica 1, here, " + dir.resolve("b0") + ": equal, differs in 1 place")
                .contains("verdict: replicas 1, 2 are right, replica 0 is wrong: 2 copies agree")
                .contains(
                        "next step: move "
                                + dir.resolve("a0")
                                + ", "
                                + dir.resolve("a1")
                                + " away, then farheap sync "
                                + set);
        // and that is true
        Files.delete(dir.resolve("a0"));
        Files.delete(dir.resolve("a1"));
        assertThat(Run.farheap("sync", set).exitCode()).isZero();
        assertThat(json(0).get("equal").asBoolean()).isTrue();
    }

    @Test
    void aCopyWhoseStructureIsDamagedIsWrong() throws IOException {
        pool(2);
        long header = chunkHeader();
        flip("a0", header, 8);

        JsonNode result = json(DIFFERENT);

        assertThat(result.get("copies").get(0).get("finding").asText()).isEqualTo("WRONG");
        assertThat(result.get("copies").get(0).get("explanation").asText()).contains("chunk");
        assertThat(result.get("copies").get(1).get("finding").asText()).isEqualTo("EQUAL");
        JsonNode place = result.get("copies").get(0).get("differences").get(0);
        assertThat(place.get("offset").asLong()).isEqualTo(header);
        assertThat(place.get("meaning").asText()).isEqualTo("the header of chunk 0 of zone 0");
        assertThat(result.get("verdict").asText()).startsWith("replica 1 is right, replica 0 is");
    }

    /** Of the first zone, which begins behind the heap's header. */
    private long chunkHeader() {
        return Descriptor.DEFAULT_HEAP_OFFSET + 1024 + 64;
    }

    @Test
    void ofAnotherRunPagesAreCounted() throws IOException {
        pool(2);
        Files.copy(dir.resolve("b0"), dir.resolve("old"));
        Files.copy(dir.resolve("b1"), dir.resolve("old1"));
        try (ObjectPool pool = ObjectPool.open(set, "bank")) {
            Ref root = pool.root(64);
            pool.transaction(tx -> tx.setLong(pool.getRef(root, 0), 0, 99));
        }
        Files.move(dir.resolve("old"), dir.resolve("b0"), StandardCopyOption.REPLACE_EXISTING);

        JsonNode result = json(NOT_ALL_EQUAL);

        JsonNode copy = result.get("copies").get(1);
        assertThat(copy.get("finding").asText()).isEqualTo("OTHER_VERSION");
        assertThat(copy.get("differingPages").asLong()).isPositive();
        assertThat(copy.has("differences")).isFalse();
        assertThat(result.get("verdict").asText())
                .isEqualTo("replica 0 is equal; replica 1 is of another version");
    }

    @Test
    void aCopyThatIsLeftAloneIsNotCalledEqual() throws IOException {
        pool(2);
        Files.delete(dir.resolve("b1"));

        JsonNode result = json(DIFFERENT);

        JsonNode copy = result.get("copies").get(0);
        assertThat(copy.get("finding").asText()).isEqualTo("NOT_COMPARED");
        assertThat(copy.get("explanation").asText())
                .isEqualTo("no other copy can be compared with it");
        assertThat(result.get("comparedBytes").asLong()).isZero();
        assertThat(result.get("verdict").asText())
                .isEqualTo("replica 1 is broken; replica 0 is not compared");
    }

    @Test
    void whatIsMissingIsSaidAndTheOthersAreCompared() throws IOException {
        pool(3);
        Files.delete(dir.resolve("b1"));

        JsonNode result = json(DIFFERENT);

        assertThat(result.get("copies").get(1).get("finding").asText()).isEqualTo("BROKEN");
        assertThat(result.get("copies").get(1).get("explanation").asText()).contains("is missing");
        assertThat(result.get("copies").get(2).get("finding").asText()).isEqualTo("EQUAL");
        assertThat(result.get("nextStep").asText()).isEqualTo("farheap sync " + set);
    }

    @Test
    void aBrokenHeaderDoesNotHideThatTheContentIsThere() throws IOException {
        pool(2);
        flip("b0", 100, 1);

        JsonNode result = json(DIFFERENT);

        JsonNode copy = result.get("copies").get(1);
        assertThat(copy.get("finding").asText()).isEqualTo("BROKEN");
        assertThat(copy.get("explanation").asText()).contains("checksum");
        assertThat(copy.get("differingPlaces").asLong()).isZero();
    }

    @Test
    void aFlippedBitInTheSecondPartIsFoundThere() throws IOException {
        pool(2);
        long second = (8 << 20) - HEADER; // its own header is no part of the image
        try (ObjectPool pool = ObjectPool.open(set, "bank")) {
            pool.transaction(
                    tx -> {
                        Ref large = tx.allocate(6 << 20, TYPE);
                        tx.setRef(pool.root(64), 16, large);
                    });
        }
        flip("b1", HEADER + 4096, 1);

        JsonNode place = json(DIFFERENT).get("copies").get(1).get("differences").get(0);

        assertThat(place.get("file").asText()).isEqualTo(dir.resolve("b1").toString());
        assertThat(place.get("fileOffset").asLong()).isEqualTo(HEADER + 4096);
        assertThat(place.get("offset").asLong()).isEqualTo(second + HEADER + 4096);
        assertThat(place.get("meaning").asText()).startsWith("the object at ");
    }

    @Test
    void whileItIsOpenItSaysWhatCantBeSaid() throws IOException {
        pool(2);
        try (ObjectPool pool = ObjectPool.open(set, "bank")) {
            Run run = Run.farheap("verify", set);
            assertThat(run.exitCode()).isEqualTo(IN_USE);
            assertThat(run.out())
                    .contains("not compared: the pool is open, so its bytes change")
                    .contains("next step: close the program, then farheap verify " + set);
            assertThat(pool.root(64).isNull()).isFalse();
        }
    }

    @Test
    void onePlainFileHasNothingToBeComparedWith() {
        Path file = dir.resolve("one.pool");
        ObjectPool.at(file).layout("one").size(8 << 20).create().close();
        assertThat(Run.farheap("verify", file).succeeded().out()).contains("only one copy");
        assertThat(Run.farheap("verify", "-q", file).succeeded().out()).isEmpty();
    }
}
