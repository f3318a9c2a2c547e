package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.layout.Descriptor;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckCommandTest {
    private static final long HEAP = Descriptor.DEFAULT_HEAP_OFFSET;
    private static final long FIRST_CHUNK_HEADER = HEAP + 1024 + 64;

    @TempDir Path dir;
    private Path pool;

    @BeforeEach
    void aPoolWithObjects() {
        pool = dir.resolve("a.pool");
        try (ObjectPool created = ObjectPool.at(pool).layout("check").size(16 << 20).create()) {
            Ref root = created.root(64);
            created.transaction(
                    tx -> {
                        for (int i = 0; i < 100; i++) {
                            Ref object = tx.allocate(100, 7);
                            tx.setRef(root, 0, object);
                        }
                        Ref huge = tx.allocate(3 << 20, 8);
                        tx.setRef(root, 16, huge);
                    });
        }
    }

    @Test
    void aSoundPoolIsConsistent() {
        assertThat(Run.farheap("check", pool).succeeded().out()).isEqualTo(pool + ": consistent\n");
        assertThat(Run.farheap("check", "-q", pool).succeeded().out()).isEmpty();
    }

    @Test
    void aDamagedPoolHeaderIsFound() throws IOException {
        damage(pool, 24);

        inconsistent("invalid checksum of pool header", "farheap check -r " + pool);
        Run info = Run.farheap("info", pool);
        assertThat(info.exitCode()).isEqualTo(ExitCode.BAD_DATA);
        assertThat(info.err().lines()).hasSize(1);
        assertThat(info.err()).contains(pool.toString(), "checksum");
    }

    @Test
    void aDamagedDescriptorIsFound() throws IOException {
        damage(pool, Descriptor.OFFSET);

        inconsistent("invalid checksum of pool descriptor", "farheap check -r " + pool);
    }

    @Test
    void aDamagedHeapHeaderIsFound() throws IOException {
        damage(pool, HEAP);

        inconsistent("heap", "farheap check -r " + pool);
    }

    @Test
    void aDamagedChunkHeaderIsFound() throws IOException {
        damage(pool, FIRST_CHUNK_HEADER + 4);

        inconsistent("chunk", "put it back from a backup");
    }

    @Test
    void aTruncatedOrForeignFileIsFound() throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(pool.toFile(), "rw")) {
            file.setLength(5000);
        }
        Run.farheap("check", pool).failedWith(ExitCode.BAD_DATA, "5000", pool.toString());

        Files.write(pool, new byte[9 << 20]);
        assertThat(Run.farheap("check", pool).exitCode()).isEqualTo(ExitCode.BAD_DATA);
        Run.farheap("info", pool).failedWith(ExitCode.BAD_DATA, pool.toString());
    }

    @Test
    void eachMissingOrWrongPartOfASetIsNamed() throws IOException {
        Path set =
                Files.writeString(
                        dir.resolve("z.set"),
                        "PMEMPOOLSET\n8M "
                                + dir
                                + "/a\n8M "
                                + dir
                                + "/b\nREPLICA\n16M "
                                + dir
                                + "/c\n");
        Run.farheap("create", set).succeeded();
        Files.delete(dir.resolve("b"));
        try (RandomAccessFile file = new RandomAccessFile(dir.resolve("c").toFile(), "rw")) {
            file.setLength(15 << 20);
        }

        Run run = Run.farheap("check", set);

        assertThat(run.exitCode()).isEqualTo(ExitCode.BAD_DATA);
        assertThat(run.err().lines())
                .containsExactly(
                        "farheap: " + dir + "/b: No such file or directory",
                        "farheap: "
                                + dir
                                + "/c cannot be used: file size does not match config: 15728640 !="
                                + " 16777216");
        assertThat(run.out())
                .isEqualTo(
                        set
                                + ": not consistent\n"
                                + "next step: put the missing files back from a backup\n");
    }

    @Test
    void aPoolInUseIsNotLookedAt() {
        try (ObjectPool inUse = ObjectPool.open(pool, null)) {
            assertThat(inUse.layout()).isEqualTo("check");
            Run.farheap("check", pool).failedWith(ExitCode.ENVIRONMENT, pool.toString());
            Run.farheap("info", pool).failedWith(ExitCode.ENVIRONMENT, pool.toString());
        }
    }

    @Test
    void nothingIsWritten() throws IOException {
        byte[] before = Files.readAllBytes(pool);

        Run.farheap("check", pool).succeeded();
        Run.farheap("info", "-s", pool).succeeded();

        assertThat(Files.readAllBytes(pool)).isEqualTo(before);
    }

    private void inconsistent(String problem, String next) {
        Run run = Run.farheap("check", pool);
        assertThat(run.exitCode()).isEqualTo(ExitCode.BAD_DATA);
        assertThat(run.out()).isEqualTo(pool + ": not consistent\nnext step: " + next + "\n");
        assertThat(run.err()).startsWith("farheap: ").contains(pool.toString(), problem);
        assertThat(run.err()).doesNotContain("Exception", "\tat ");
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
