package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.layout.Descriptor;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.ShutdownState;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CheckRepairTest {
    private static final int PAGE = 4096;
    private static final int HEAP = (int) Descriptor.DEFAULT_HEAP_OFFSET;
    private static final int ZONE = HEAP + 1024;
    private static final int CHUNK_HEADERS = ZONE + 64;

    @TempDir Path dir;
    private Path pool;
    private byte[] before;

    @BeforeEach
    void aPool() throws IOException {
        pool = dir.resolve("a.pool");
        try (ObjectPool created =
                ObjectPool.at(pool).layout("a layout's name").size(8 << 20).create()) {
            fill(created);
        }
        before = Files.readAllBytes(pool);
    }

    private static void fill(ObjectPool pool) {
        Ref root = pool.root(64);
        pool.transaction(
                tx -> {
                    for (int i = 0; i < 50; i++) {
                        tx.setRef(root, 0, tx.allocate(100, 7));
                    }
                    tx.setRef(root, 16, tx.allocate(1 << 20, 8));
                });
    }

    private Path set(String name, String content) throws IOException {
        Path set = dir.resolve(name);
        Files.writeString(set, "PMEMPOOLSET\n" + content.replace("@", dir + "/"));
        try (ObjectPool created = ObjectPool.create(set, "bank")) {
            fill(created);
        }
        return set;
    }

    private static void write(Path file, long offset, byte... bytes) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.seek(offset);
            open.write(bytes);
        }
    }

    private void write(String part, long offset, byte... bytes) throws IOException {
        write(dir.resolve(part), offset, bytes);
    }

    private byte[] bytes(String part) throws IOException {
        return Files.readAllBytes(dir.resolve(part));
    }

    /** Everything behind the first header. */
    private static byte[] image(byte[]... parts) {
        ByteArrayOutputStream image = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            image.write(part, PAGE, (8 << 20) - PAGE);
        }
        if (parts.length == 1 && parts[0].length > 8 << 20) {
            image.write(parts[0], 8 << 20, (8 << 20) - PAGE);
        }
        return image.toByteArray();
    }

    /** Without printing millions of bytes. */
    private static void same(byte[] now, byte[] expected) {
        assertThat(Arrays.mismatch(now, expected)).as("the first byte that differs").isEqualTo(-1);
    }

    private static void repairs(Object... options) {
        List<Object> words = new ArrayList<>(List.of("check", "-r", "-y"));
        words.addAll(List.of(options));
        Run run = Run.farheap(words.toArray());
        assertThat(run.exitCode()).as(run.err() + run.out()).isZero();
        assertThat(run.out()).endsWith(": repaired\n");
    }

    private static Run refuses(Object... options) {
        List<Object> words = new ArrayList<>(List.of("check", "-r", "-y"));
        words.addAll(List.of(options));
        Run run = Run.farheap(words.toArray());
        assertThat(run.exitCode()).as(run.out()).isEqualTo(ExitCode.BAD_DATA);
        assertThat(run.out()).contains(": cannot repair; nothing was changed");
        return run;
    }

    /** Offset and value of an int: an unknown feature, the next major version, AArch64. */
    @ParameterizedTest
    @CsvSource({"16, 0x107, newer version", "8, 7, newer version", "140, 0xB70000, machine"})
    void aHeaderOfAnotherMakerIsNotDamaged(int at, String value, String maker) throws IOException {
        ByteBuffer image = ByteBuffer.wrap(before.clone()).order(ByteOrder.LITTLE_ENDIAN);
        int changed =
                at == 140
                        ? image.getInt(at) & 0xFFFF | Integer.decode(value)
                        : Integer.decode(value);
        image.putInt(at, changed);
        PoolHeader header = new PoolHeader(MemorySegment.ofArray(image.array()).asSlice(0, PAGE));
        image.putLong(PAGE - 8, header.computedChecksum());
        Files.write(pool, image.array());

        for (String advanced : new String[] {"-r", "-ra"}) {
            Run run = Run.farheap("check", advanced, "-y", pool);
            assertThat(run.exitCode()).isEqualTo(ExitCode.BAD_DATA);
            assertThat(run.err()).contains("its checksum is right").contains(maker);
            assertThat(run.out())
                    .contains(": cannot repair; nothing was changed")
                    .contains("open it with what made it")
                    .doesNotContain("backup");
            same(Files.readAllBytes(pool), image.array());
        }
        Run looked = Run.farheap("check", pool);
        assertThat(looked.out()).contains("open it with what made it").doesNotContain("check -r");
    }

    /** Neither is it overwritten by a copy that we do understand. */
    @Test
    void aReplicaOfAnotherMakerIsNotOverwritten() throws IOException {
        Path set = set("b.set", "8M @p0\nREPLICA\n8M @r0\n");
        ByteBuffer image = ByteBuffer.wrap(bytes("r0")).order(ByteOrder.LITTLE_ENDIAN);
        image.putInt(8, 7);
        PoolHeader header = new PoolHeader(MemorySegment.ofArray(image.array()).asSlice(0, PAGE));
        image.putLong(PAGE - 8, header.computedChecksum());
        Files.write(dir.resolve("r0"), image.array());

        for (List<String> words : List.of(List.of("check", "-r", "-a", "-y"), List.of("sync"))) {
            List<Object> command = new ArrayList<>(words);
            command.add(set);
            Run run = Run.farheap(command.toArray());
            assertThat(run.exitCode()).as(run.out()).isNotZero();
            assertThat(run.err()).contains("a newer version made it");
            same(bytes("r0"), image.array());
        }
    }

    /** No word that could be wrong explains it: the checksum itself is. */
    @Test
    void aFlippedBitOfTheStoredChecksumIsMendedAsLikely() throws IOException {
        write(pool, 4090, (byte) (before[4090] ^ 1));
        assertThat(refuses(pool).out()).contains("-r -d -a");
        repairs("-a", pool);
        same(Files.readAllBytes(pool), before);
    }

    @Test
    void aCheckKnowsWhatItsRepairCanDo() throws IOException {
        write(pool, HEAP + 40, (byte) 1);
        Run run = Run.farheap("check", pool);
        assertThat(run.out()).contains("next step: farheap check -r " + pool);
        repairs(pool);
        same(Files.readAllBytes(pool), before);
    }

    @Test
    void aZoneThatIsGoneIsNamed() throws IOException {
        write(pool, ZONE, new byte[8]);
        assertThat(Run.farheap("check", pool).err()).contains("the header of zone 0 is zero");
    }

    /** What libpmemobj would merge live objects by. */
    @Test
    void aFooterThatContradictsItsBlockIsNamedAndWritten() throws IOException {
        long last = lastChunkHeader();
        write(pool, last + 4, (byte) 0x7F);
        Run run = Run.farheap("check", pool);
        assertThat(run.err())
                .contains("the footer of the free block of")
                .contains("says 127 chunks");
        assertThat(run.out()).contains("next step: farheap check -r " + pool);
        repairs(pool);
        same(Files.readAllBytes(pool), before);
    }

    /** Of the block at the end of the only zone, which is free and has several chunks. */
    private long lastChunkHeader() {
        ByteBuffer image = ByteBuffer.wrap(before).order(ByteOrder.LITTLE_ENDIAN);
        int chunks = image.getInt(ZONE + 4);
        return CHUNK_HEADERS + 8L * (chunks - 1);
    }

    /** A bit anywhere in what a header says, but for bits whose place its checksum can't tell. */
    @Test
    void aFlippedBitInTheHeaderIsFoundByItsChecksum() throws IOException {
        Random random = new Random(20260315);
        int repaired = 0;
        for (int i = 0; i < 24; i++) {
            int at = random.nextInt(144);
            byte flipped = (byte) (before[at] ^ 1 << random.nextInt(8));
            write(pool, at, flipped);
            Run run = Run.farheap("check", "-r", "-y", pool);
            boolean done = run.exitCode() == 0;
            // The rest of a header of one part has copies, or can be nothing else.
            boolean named = at < 24 || at >= 40 && at < 120 || at >= 128;
            assertThat(done || !named).as("byte %d: %s%s", at, run.err(), run.out()).isTrue();
            if (done) {
                same(Files.readAllBytes(pool), before);
                repaired++;
            } else {
                byte[] now = Files.readAllBytes(pool);
                assertThat(now[at]).isEqualTo(flipped);
                write(pool, at, before[at]);
                same(Files.readAllBytes(pool), before);
            }
        }
        assertThat(repaired).isGreaterThan(20);
    }

    @Test
    void aHeaderWhoseChecksumIsWrongIsAcceptedByOrderOnly() throws IOException {
        write(pool, 4088, new byte[8]);
        refuses(pool);
        repairs("--advanced", pool);
        same(Files.readAllBytes(pool), before);

        write(pool, 0, new byte[PAGE]);
        refuses("-a", pool);
        assertThat(Arrays.copyOf(Files.readAllBytes(pool), PAGE)).containsOnly(0);
    }

    /** The stored checksum could be what is wrong as well. */
    @Test
    void aNameThatMayBeRightIsLeftAlone() throws IOException {
        write(pool, PAGE + 3, (byte) 'z');
        refuses(pool);
        write(pool, PAGE + 3, before[PAGE + 3]);
        write(pool, PAGE + 2043, (byte) (before[PAGE + 2043] + 1));
        refuses(pool);
    }

    @Test
    void aDamagedDescriptorIsRestored() throws IOException {
        // A word of the name, a byte behind it, and all that is the same in every pool.
        write(pool, PAGE + 1, (byte) 'z');
        repairs(pool);
        same(Files.readAllBytes(pool), before);
        write(pool, PAGE + 900, (byte) 1);
        repairs(pool);
        same(Files.readAllBytes(pool), before);
        byte[] noise = new byte[1000];
        new Random(7).nextBytes(noise);
        write(pool, PAGE + 1024, noise);
        repairs(pool);
        same(Files.readAllBytes(pool), before);

        write(pool, PAGE, "another name!".getBytes(StandardCharsets.US_ASCII));
        refuses(pool);
        write(pool, PAGE, new byte[2048]);
        refuses("-a", pool);
    }

    @Test
    void theHeapHeaderAndTheZonesAreRestored() throws IOException {
        byte[] noise = new byte[1024];
        new Random(7).nextBytes(noise);
        write(pool, HEAP, noise);
        repairs(pool);
        same(Files.readAllBytes(pool), before);
        write(pool, HEAP, new byte[1024 + 64]);
        repairs(pool);
        same(Files.readAllBytes(pool), before);
        write(pool, ZONE + 4, (byte) 99);
        repairs(pool);
        same(Files.readAllBytes(pool), before);
    }

    @Test
    void whatSaysWhichMemoryIsInUseIsNotGuessed() throws IOException {
        write(pool, CHUNK_HEADERS + 4, (byte) 200);
        write(pool, HEAP, new byte[16]);
        byte[] damaged = Files.readAllBytes(pool);
        assertThat(refuses("-a", pool).err()).contains("heap");
        same(Files.readAllBytes(pool), damaged);
    }

    @Test
    void aHeaderComesBackFromThoseOfOtherParts() throws IOException {
        Path set = set("z.set", "8M @x\n8M @y\n8M @z\n");
        byte[] y = bytes("y");
        write("y", 24, new byte[16]);
        write("y", 56, new byte[32]);
        repairs(set);
        same(bytes("y"), y);
        // Its checksum is lost, its uuid is the one that its neighbours name.
        write("y", 2000, new byte[2096]);
        repairs(set);
        same(bytes("y"), y);
        write("y", 0, new byte[PAGE]);
        refuses(set);
        repairs("-a", set);
        Run.farheap("check", set).succeeded();
        assertThat(Arrays.copyOf(bytes("y"), 120)).isEqualTo(Arrays.copyOf(y, 120));
    }

    @Test
    void aPartOfAnotherPoolIsNoDamage() throws IOException {
        Path set = set("z.set", "8M @x\n8M @y\n");
        set("o.set", "8M @x2\n8M @y2\n");
        Files.copy(
                dir.resolve("y2"),
                dir.resolve("y"),
                java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        byte[] other = bytes("y");
        assertThat(refuses("-a", set).err()).contains("wrong pool set UUID");
        same(bytes("y"), other);
    }

    @ParameterizedTest
    @ValueSource(strings = {"master", "copy"})
    void aDamagedReplicaGetsTheContentOfASoundOne(String which) throws IOException {
        Path set = set("r.set", "8M @x\n8M @y\nREPLICA\n17M @z\n");
        List<byte[]> all = List.of(bytes("x"), bytes("y"), bytes("z"));
        String part = which.equals("master") ? "x" : "z";
        write(part, CHUNK_HEADERS + 4, (byte) 200);
        write(part, PAGE + 20, new byte[1500]);
        write(part, 0, new byte[8]);
        byte[] damaged = bytes(part);

        Run plan = Run.farheap("check", "-r", "-d", set);
        assertThat(plan.exitCode()).isEqualTo(ExitCode.BAD_DATA);
        assertThat(plan.out())
                .contains("would copy 2 pages from the replica of ")
                .contains("would restore the pool header of ")
                .endsWith(": not consistent, can be repaired\n");
        same(bytes(part), damaged);

        repairs(set);
        // What nobody uses may have differed; the sound one is as it was, and its copy like it.
        List<byte[]> now = List.of(bytes("x"), bytes("y"), bytes("z"));
        for (int i = 0; i < 3; i++) {
            same(Arrays.copyOf(now.get(i), PAGE), Arrays.copyOf(all.get(i), PAGE));
        }
        same(image(now.get(0), now.get(1)), image(now.get(2)));
        if (which.equals("copy")) {
            same(now.get(0), all.get(0));
            same(now.get(1), all.get(1));
        } else {
            same(now.get(2), all.get(2));
        }
    }

    @Test
    void aCopyThatWasCutIsFinished() throws IOException {
        Path set = set("r.set", "8M @x\nREPLICA\n8M @z\n");
        // Bytes that nobody uses may differ between replicas.
        byte[] whole = bytes("x");
        System.arraycopy(bytes("z"), 0, whole, 0, PAGE);
        Random random = new Random(99);
        byte[] damaged = whole.clone();
        BitSet pages = new BitSet();
        damaged[CHUNK_HEADERS + 4] = (byte) 200;
        pages.set((CHUNK_HEADERS + 4) / PAGE);
        for (int i = 0; i < 6; i++) {
            int page = 1000 + random.nextInt(1000);
            damaged[page * PAGE] ^= 1;
            pages.set(page);
        }
        int reached = pages.cardinality();
        for (int copied = 0; copied <= reached; copied += 3) {
            byte[] cut = damaged.clone();
            Arrays.fill(cut, PAGE, PAGE + 2048, (byte) 0);
            int page = pages.nextSetBit(0);
            for (int i = 0; i < copied; i++) {
                System.arraycopy(whole, page * PAGE, cut, page * PAGE, PAGE);
                page = pages.nextSetBit(page + 1);
            }
            Files.write(dir.resolve("z"), cut);
            assertThat(Run.farheap("check", set).exitCode()).isEqualTo(ExitCode.BAD_DATA);
            repairs(set);
            same(bytes("z"), whole);
        }
    }

    @Test
    void replicasOfDifferentRunsAreLeftToAPerson() throws IOException {
        Path set = set("r.set", "8M @x\nREPLICA\n8M @z\n");
        byte[] old = bytes("z");
        try (ObjectPool pool = ObjectPool.open(set, "bank")) {
            fill(pool);
        }
        old[CHUNK_HEADERS + 4] = (byte) 200;
        Files.write(dir.resolve("z"), old);
        byte[] newer = bytes("x");
        refuses("-a", set);
        same(bytes("z"), old);
        same(bytes("x"), newer);
    }

    @Test
    void aShutdownStateIsForgottenByOrderOnly() throws IOException {
        byte[] header = Arrays.copyOf(before, (int) PoolHeader.SIZE);
        new ShutdownState(MemorySegment.ofArray(header)).open(7, 8);
        write(pool, 0, header);
        assertThat(refuses(pool).err()).contains("ADR failure");
        repairs("-a", pool);
        same(Files.readAllBytes(pool), before);

        // A remote replica may have what was lost, and would be taken for the same.
        write(pool, 0, header);
        Path set = dir.resolve("remote.set");
        Files.writeString(set, "PMEMPOOLSET\n8M " + pool + "\nREPLICA there copy.set\n");
        refuses("-a", set);
        assertThat(Arrays.copyOf(Files.readAllBytes(pool), header.length)).isEqualTo(header);
    }

    @Test
    void aReplicaThatLostDataGetsWhatAnotherHas() throws IOException {
        Path set = set("r.set", "8M @x\nREPLICA\n8M @z\n");
        byte[] sound = bytes("z");
        byte[] header = Arrays.copyOf(bytes("x"), (int) PoolHeader.SIZE);
        new ShutdownState(MemorySegment.ofArray(header)).open(7, 8);
        write("x", 0, header);
        write("x", 6 << 20, (byte) 1);

        repairs(set);

        same(bytes("z"), sound);
        same(image(bytes("x")), image(sound));
        Run.farheap("check", set).succeeded();
        Run.farheap("info", set).succeeded();
    }

    @Test
    void whatIsThereIsKeptFirst() throws IOException {
        write(pool, HEAP, new byte[16]);
        byte[] damaged = Files.readAllBytes(pool);
        Path backup = dir.resolve("backup");
        Files.writeString(backup, "something else");
        Run.farheap("check", "-r", "-y", "-b", backup, pool);
        assertThat(Files.readString(backup)).isEqualTo("something else");
        same(Files.readAllBytes(pool), damaged);
        Files.delete(backup);
        repairs("-b", backup, pool);
        same(Files.readAllBytes(backup), damaged);
        same(Files.readAllBytes(pool), before);
        assertThat(dir.resolve("backup.repairing")).doesNotExist();
    }

    /** The pool is half repaired, the backup is of before: that one stays. */
    @Test
    void theBackupOfARepairThatWasCutIsNotReplaced() throws IOException {
        Path set = set("z.set", "8M @x\n8M @y\n");
        write("x", 0, new byte[8]);
        write("y", 0, new byte[8]);
        byte[] x = bytes("x");
        byte[] y = bytes("y");
        Path backup = dir.resolve("b.set");
        Files.writeString(backup, "PMEMPOOLSET\n8M " + dir + "/bx\n8M " + dir + "/by\n");
        Files.write(dir.resolve("bx"), x);
        Files.writeString(dir.resolve("b.set.repairing"), backupNote(set));
        write("x", 0, "PMEMOBJ".getBytes(StandardCharsets.US_ASCII));

        Run run = Run.farheap("check", "-r", "-y", "-b", backup, set);

        assertThat(run.out()).startsWith("kept the backup of").endsWith(": repaired\n");
        same(bytes("bx"), x);
        same(bytes("by"), y);
        Run.farheap("check", set).succeeded();
        assertThat(dir.resolve("b.set.repairing")).doesNotExist();
    }

    /** What a repair that was cut has left beside its backup. */
    private String backupNote(Path set) throws IOException {
        long run = ByteBuffer.wrap(bytes("x")).order(ByteOrder.LITTLE_ENDIAN).getLong(6152);
        return "%s\n%d %s\n%d %s\nrun %d\n"
                .formatted(set, 8 << 20, dir.resolve("x"), 8 << 20, dir.resolve("y"), run);
    }

    /** The repair was cut, and the pool used again before the next one. */
    @Test
    void aBackupOfAnotherTimeDoesNotPassForThisOne() throws IOException {
        Path set = set("z.set", "8M @x\n8M @y\n");
        Path backup = dir.resolve("b.set");
        Files.writeString(backup, "PMEMPOOLSET\n8M " + dir + "/bx\n8M " + dir + "/by\n");
        Files.copy(dir.resolve("x"), dir.resolve("bx"));
        Files.copy(dir.resolve("y"), dir.resolve("by"));
        Files.writeString(dir.resolve("b.set.repairing"), backupNote(set));
        byte[] old = bytes("bx");
        try (ObjectPool pool = ObjectPool.open(set, "bank")) {
            fill(pool);
        }
        write("x", 0, new byte[8]);
        byte[] damaged = bytes("x");

        Run run = Run.farheap("check", "-r", "-y", "-b", backup, set);

        assertThat(run.exitCode()).isEqualTo(ExitCode.WRONG_USE);
        assertThat(run.err()).contains("already exists", "name another");
        same(bytes("x"), damaged);
        same(bytes("bx"), old);
    }

    /** A copy whose number is lost may have been the newest of all. */
    @Test
    void aReplicaWithoutANumberIsOverwrittenByOrderOnly() throws IOException {
        Path set = set("r.set", "8M @x\nREPLICA\n8M @z\n");
        write("z", PAGE, new byte[PAGE]);
        byte[] erased = bytes("z");
        refuses(set);
        same(bytes("z"), erased);

        Run plan = Run.farheap("check", "-r", "-d", "-a", set);
        assertThat(plan.out()).contains("assumed: that one, whose number is lost, was no newer");
        Run.farheap("check", "-r", "-a", "-y", set)
                .failedWith(
                        ExitCode.WRONG_USE,
                        "replica 1 (" + dir.resolve("z"),
                        "nothing was changed; to lose them: farheap check --discard=");
        same(bytes("z"), erased);
        Run run = Run.agreeing("check", "-r", "-a", "-y", set);
        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("is overwritten, and its commits are lost");
        Run.farheap("check", set).succeeded();
        same(image(bytes("z")), image(bytes("x")));
    }

    /** Two sound ones of different runs: which one the third is to be like is a person's choice. */
    @Test
    void whereRunsDifferNothingIsCopied() throws IOException {
        Path set = set("r.set", "8M @x\nREPLICA\n8M @y\nREPLICA\n8M @z\n");
        byte[] old = bytes("x");
        try (ObjectPool pool = ObjectPool.open(set, "bank")) {
            fill(pool);
        }
        Files.write(dir.resolve("x"), old);
        write("z", PAGE, new byte[PAGE]);
        byte[] erased = bytes("z");
        refuses("-a", set);
        same(bytes("z"), erased);
        same(bytes("x"), old);
    }

    @Test
    void agreementIsNeededWhereNobodyCanBeAsked() throws IOException {
        write(pool, HEAP, new byte[16]);
        byte[] damaged = Files.readAllBytes(pool);
        Run refused = Run.farheap("check", "--repair", pool);
        assertThat(refused.exitCode()).isEqualTo(ExitCode.WRONG_USE);
        assertThat(refused.err()).endsWith("to agree: farheap check --yes --repair " + pool + "\n");
        same(Files.readAllBytes(pool), damaged);
        assertThat(Run.agreeing("check", "--repair", pool).exitCode()).isZero();
        same(Files.readAllBytes(pool), before);
    }

    /** It has the number of the one that it gets the content of: nothing is lost. */
    @Test
    void whatEachCopyHoldsIsSaidWhereOneIsOverwritten() throws IOException {
        Path set = set("r.set", "8M @x\nREPLICA\n8M @z\n");
        write("z", CHUNK_HEADERS + 4, (byte) 200);
        Run run = Run.agreeing("check", "-r", set);
        assertThat(run.exitCode()).isZero();
        assertThat(run.out())
                .containsPattern("replica 0 \\(.*x\\) +number .* stays\\n")
                .containsPattern("replica 1 \\(.*z\\) +number .* is overwritten\\n");
    }

    @Test
    void optionsThatDoNotFitAreRefused() throws IOException {
        for (String option : List.of("-y", "-d", "-a", "-b=x")) {
            Run.farheap("check", option, pool).failedWith(ExitCode.WRONG_USE, "-r");
        }
        Run.farheap("check", "-r", "-d", "-b", "x", pool).failedWith(ExitCode.WRONG_USE, "-b");
        Run.farheap("check", "-r", "-q", pool).failedWith(ExitCode.WRONG_USE, "-y");
        Run.farheap("check", "-r", "--json", pool).failedWith(ExitCode.WRONG_USE, "-y");
        Path set = set("z.set", "8M @x\n8M @y\n");
        write("x", 0, new byte[8]);
        Run run = Run.farheap("check", "-r", "-y", "-b", dir.resolve("new"), set);
        assertThat(run.exitCode()).isEqualTo(ExitCode.WRONG_USE);
        assertThat(run.err()).contains("2 part files");
    }

    @Test
    void aSoundPoolIsLeftAloneAndMissingPartsAreForSync() throws IOException {
        assertThat(Run.farheap("check", "-r", pool).succeeded().out())
                .isEqualTo(pool + ": consistent\n");
        assertThat(Run.farheap("check", "--json", pool).succeeded().out())
                .contains("\"verdict\" : \"consistent\"");
        same(Files.readAllBytes(pool), before);
        Path set = set("r.set", "8M @x\nREPLICA\n8M @z\n");
        Files.delete(dir.resolve("z"));
        assertThat(refuses(set).out()).contains("farheap sync");
    }
}
