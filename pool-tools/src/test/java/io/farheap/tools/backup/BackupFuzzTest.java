package io.farheap.tools.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.farheap.ObjectPool;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.Ref;
import io.farheap.pool.PoolSource;
import io.farheap.tools.command.LongWork;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32C;
import java.util.zip.Deflater;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Backups that are damaged, or made to do harm: each is refused, and with a sentence. */
@Timeout(600)
class BackupFuzzTest {
    private static final int HEADER_CRC = 4092;
    private static final int TRAILER = 128;
    private static final int ROUNDS =
            Integer.getInteger(
                    "farheap.backup.rounds", Boolean.getBoolean("test.deep") ? 400 : 100);
    private static final long[] EXTREMES = {
        0, 1, -1, Long.MAX_VALUE, Long.MIN_VALUE, Integer.MAX_VALUE, 1L << 32, 1L << 42, 8192, 16384
    };

    @TempDir private Path dir;
    private final long seed = Long.getLong("farheap.backup.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private Path full;
    private Path increment;

    @BeforeEach
    void backups() throws Exception {
        System.out.println("farheap.backup.seed=" + seed);
        Path pool = dir.resolve("bank.pool");
        full = dir.resolve("full");
        increment = dir.resolve("increment");
        try (ObjectPool made = ObjectPool.at(pool).layout("bank").size(8 << 20).create()) {
            Ref root = made.root(64);
            made.transaction(
                    tx -> {
                        Ref noise = tx.allocate(200_000, 1);
                        byte[] bytes = new byte[200_000];
                        random.nextBytes(bytes);
                        tx.writeBytes(noise, 0, bytes);
                        tx.setRef(root, 0, noise);
                    });
        }
        back(pool, full, null);
        try (ObjectPool opened = ObjectPool.open(pool, "bank")) {
            opened.setLong(opened.root(64), 16, 1);
        }
        back(pool, increment, full);
    }

    private static void back(Path pool, Path to, Path base) throws Exception {
        BackupResult made =
                BackupRun.of(PoolSource.of(pool), to, base, false, LongWork.untold(), said -> {})
                        .run(new LongWork(), step -> {});
        assertThat(made.file()).isEqualTo(to.toString());
    }

    private static void read(Path file) {
        try (BackupChain chain = BackupChain.open(file)) {
            PieceHashes unused = chain.hashes(chain.newest().header().imageBytes());
            chain.each((piece, content, from) -> {});
        }
    }

    private void requireRefused(Path file, String what) {
        Throwable thrown = catchThrowable(() -> read(file));
        assertThat(thrown).as("%s, seed %s", what, seed).isInstanceOf(FarheapException.class);
        assertThat(((FarheapException) thrown).category()).as(what).isEqualTo(Category.BAD_DATA);
    }

    @Test
    void whatIsUntouchedIsRead() {
        read(full);
        read(increment);
    }

    @Test
    @Tag("sliced")
    void everyChangedByteIsSeen() throws IOException {
        for (Path file : new Path[] {full, increment}) {
            byte[] bytes = Files.readAllBytes(file);
            for (int i = 0; i < ROUNDS; i++) {
                byte[] changed = bytes.clone();
                int at =
                        random.nextInt(3) == 0
                                ? nearAnEdge(bytes.length)
                                : random.nextInt(bytes.length);
                changed[at] ^= (byte) (1 << random.nextInt(8));
                Files.write(file, changed);
                requireRefused(increment, file + " byte " + at);
            }
            Files.write(file, bytes);
        }
    }

    private int nearAnEdge(int length) {
        int within = random.nextInt(300);
        return random.nextBoolean() ? within : length - 1 - within;
    }

    @Test
    @Tag("sliced")
    void soIsWhatWasCutOffAddedOrMoved() throws IOException {
        byte[] bytes = Files.readAllBytes(full);
        for (int i = 0; i < ROUNDS; i++) {
            int at = random.nextInt(bytes.length);
            byte[] changed =
                    switch (random.nextInt(3)) {
                        case 0 -> Arrays.copyOf(bytes, at);
                        case 1 -> Arrays.copyOf(bytes, bytes.length + 1 + random.nextInt(500));
                        default -> turned(bytes, 1 + at % (bytes.length - 1));
                    };
            Files.write(full, changed);
            requireRefused(full, "cut, added or moved at " + at);
        }
        Files.write(full, new byte[0]);
        requireRefused(full, "empty");
    }

    private static byte[] turned(byte[] bytes, int by) {
        byte[] turned = new byte[bytes.length];
        System.arraycopy(bytes, by, turned, 0, bytes.length - by);
        System.arraycopy(bytes, 0, turned, bytes.length - by, by);
        return turned;
    }

    /** What a file says may be a lie that all its checksums agree with. */
    @Test
    @Tag("sliced")
    void liesWithRightChecksumsDoNoHarm() throws IOException {
        byte[] bytes = Files.readAllBytes(increment);
        for (int i = 0; i < ROUNDS; i++) {
            ByteBuffer lie = ByteBuffer.wrap(bytes.clone()).order(ByteOrder.LITTLE_ENDIAN);
            int at = place(bytes.length);
            long value =
                    random.nextBoolean()
                            ? EXTREMES[random.nextInt(EXTREMES.length)]
                            : random.nextLong() >>> random.nextInt(64);
            if (random.nextBoolean()) {
                lie.putLong(at, value);
            } else {
                lie.putInt(at, (int) value);
            }
            seal(lie);
            Files.write(increment, lie.array());

            Throwable thrown = catchThrowable(() -> read(increment));

            if (thrown != null) {
                assertThat(thrown)
                        .as("%s at %s, seed %s", value, at, seed)
                        .isInstanceOf(FarheapException.class);
            }
        }
    }

    /** Where numbers are: in the header, at the first frame, in the index, at the end. */
    private int place(int length) {
        return switch (random.nextInt(4)) {
            case 0 -> random.nextInt(376);
            case 1 -> 8192 + random.nextInt(32);
            case 2 -> length - TRAILER - 8 - random.nextInt(200);
            default -> length - TRAILER + random.nextInt(40);
        };
    }

    @Test
    void aBombIsNotUnpacked() throws IOException {
        ByteBuffer file = ByteBuffer.wrap(Files.readAllBytes(full)).order(ByteOrder.LITTLE_ENDIAN);
        byte[] bomb = new byte[1 << 20];
        Deflater deflater = new Deflater(9, true);
        deflater.setInput(new byte[256 << 20]);
        deflater.finish();
        int length = deflater.deflate(bomb);
        assertThat(deflater.finished()).isTrue();
        deflater.end();
        byte[] index = index(file);
        ByteBuffer made =
                ByteBuffer.allocate(8192 + 32 + length + index.length + TRAILER)
                        .order(ByteOrder.LITTLE_ENDIAN);
        made.put(file.array(), 0, 8192);
        made.putInt(0x45434950).putInt(1).putLong(file.getLong(8192 + 8)).putInt(64);
        made.putInt(length).putInt(crc(bomb, 0, length)).putInt(0);
        made.put(bomb, 0, length).put(index);
        made.put(file.array(), file.capacity() - TRAILER, TRAILER);
        int end = made.capacity() - TRAILER;
        made.putLong(end + 8, 8192 + 32L + length).putLong(end + 24, made.capacity());
        seal(made);
        Files.write(full, made.array());

        requireRefused(full, "a bomb");
        assertThat(catchThrowable(() -> read(full))).hasMessageContaining("unpack to another size");
    }

    @Test
    void aBackupThatBuildsOnItselfIsRefused() throws IOException {
        ByteBuffer file =
                ByteBuffer.wrap(Files.readAllBytes(increment)).order(ByteOrder.LITTLE_ENDIAN);
        file.putLong(32, file.getLong(16)).putLong(40, file.getLong(24));
        file.putShort(80, (short) 9).put(82, "increment".getBytes());
        seal(file);
        Files.write(increment, file.array());

        requireRefused(increment, "itself");
    }

    @Test
    void twoThatBuildOnEachOtherAreRefused() throws IOException {
        ByteBuffer lower = ByteBuffer.wrap(Files.readAllBytes(full)).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer upper =
                ByteBuffer.wrap(Files.readAllBytes(increment)).order(ByteOrder.LITTLE_ENDIAN);
        lower.putLong(32, upper.getLong(16)).putLong(40, upper.getLong(24));
        lower.putShort(80, (short) 9).put(82, "increment".getBytes());
        seal(lower);
        Files.write(full, lower.array());
        upper.put(48, lower.array(), lower.capacity() - TRAILER + 48, 32);
        seal(upper);
        Files.write(increment, upper.array());

        requireRefused(increment, "each other");
    }

    @Test
    void aBaseOfOneIdAndAnotherContentIsRefused() throws IOException {
        ByteBuffer file = ByteBuffer.wrap(Files.readAllBytes(full)).order(ByteOrder.LITTLE_ENDIAN);
        file.putLong(336, 1);
        seal(file);
        Files.write(full, file.array());

        read(full);
        requireRefused(increment, "another base");
        assertThat(catchThrowable(() -> read(increment)))
                .hasMessageContaining("is not the backup that");
    }

    @Test
    void aNameThatLeadsElsewhereIsRefused() throws IOException {
        ByteBuffer file =
                ByteBuffer.wrap(Files.readAllBytes(increment)).order(ByteOrder.LITTLE_ENDIAN);
        file.putShort(80, (short) 7).put(82, "../full".getBytes());
        seal(file);
        Files.write(increment, file.array());

        requireRefused(increment, "elsewhere");
        assertThat(catchThrowable(() -> read(increment))).hasMessageContaining("elsewhere");
    }

    private static byte[] index(ByteBuffer file) {
        int from = (int) file.getLong(file.capacity() - TRAILER + 8);
        return Arrays.copyOfRange(file.array(), from, file.capacity() - TRAILER);
    }

    /** Makes all checksums right, as far as there is anything that they are of. */
    private static void seal(ByteBuffer file) {
        CRC32C header = new CRC32C();
        header.update(file.array(), 0, HEADER_CRC);
        header.update(file.array(), 4096, 4096);
        file.putInt(HEADER_CRC, (int) header.getValue());
        file.putInt(8192 + 28, crc(file.array(), 8192, 28));
        int end = file.capacity() - TRAILER;
        long index = file.getLong(end + 8);
        if (index >= 8192 && index <= end) {
            MessageDigest digest = PieceHashes.digest();
            digest.update(file.array(), 0, 8192);
            digest.update(file.array(), (int) index, end - (int) index);
            file.put(end + 48, digest.digest());
        }
        file.putInt(end + 124, crc(file.array(), end, 124));
    }

    private static int crc(byte[] bytes, int from, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, length);
        return (int) crc.getValue();
    }
}
