package io.farheap.it.disks;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.testing.FailingCalls;
import io.farheap.testing.FailingCalls.Call;
import io.farheap.tools.InProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands whose system calls fail: what they say of that, and what they leave. */
class FailingCommandsTest {
    private static final Pattern AGREEMENT =
            Pattern.compile("(?:to lose them|to agree): farheap (.*)");

    @TempDir private Path dir;
    private Path pool;
    private String said;

    @BeforeEach
    void name() {
        pool = dir.resolve("pool");
    }

    /** Its exit code; {@link #said} has its words. */
    private int farheap(Object... words) {
        StringWriter text = new StringWriter();
        PrintWriter out = new PrintWriter(text, true);
        String[] all = Arrays.stream(words).map(Object::toString).toArray(String[]::new);
        int code = InProcess.farheap(out, out, all);
        said = text.toString();
        return code;
    }

    private List<Path> left() throws IOException {
        try (Stream<Path> files = Files.list(dir)) {
            return files.toList();
        }
    }

    @Test
    void infoNamesThePartThatCannotBeRead() {
        assertThat(farheap("create", pool)).isZero();
        try (FailingCalls disk = FailingCalls.under(dir)) {
            disk.fail(Call.READ, 1, FailingCalls.EIO);
            assertThat(farheap("info", pool)).isEqualTo(3);
        }
        assertThat(said).contains("cannot read " + pool, "Input/output error", "dmesg");
    }

    /** Each call in turn: nothing is left, or it is named; the same command makes the pool then. */
    @ParameterizedTest
    @CsvSource({"pages, false", "pages, true", "journal, false", "journal, true"})
    void aCreationThatFailsLeavesNothingThatItDoesNotName(String kind, boolean forGood)
            throws IOException {
        List<Object> create = new ArrayList<>(List.of("create", pool));
        if (kind.equals("journal")) {
            create.addAll(List.of("--journal-size", "2M"));
        }
        boolean failed = true;
        for (int call = 1; failed; call++) {
            int code;
            try (FailingCalls disk = FailingCalls.under(dir)) {
                if (forGood) {
                    disk.failAllFrom(call, FailingCalls.EIO);
                } else {
                    disk.fail(call, FailingCalls.EIO);
                }
                code = farheap(create.toArray());
                failed = !disk.failed().isEmpty();
                disk.endProcess();
            }
            String where = "call " + call + ": " + said;
            if (code != 0 && said.contains("complete all the same")) {
                ObjectPool.open(pool, "").close();
            } else if (code != 0 && forGood) {
                for (Path file : left()) {
                    assertThat(said).as(where).contains("cannot remove " + file);
                }
            } else if (code != 0) {
                assertThat(left()).as(where).isEmpty();
                assertThat(farheap(create.toArray())).as(where + said).isZero();
            }
            for (Path file : left()) {
                Files.delete(file);
            }
        }
    }

    /** Each call in turn: a part that was there, empty, is empty again. */
    @ParameterizedTest
    @ValueSource(strings = {"pages", "journal"})
    void aCreationThatFailsLeavesThePartThatWasThereEmpty(String kind) throws IOException {
        Path set = dir.resolve("pool.set");
        Files.writeString(set, "PMEMPOOLSET\n8M " + pool + "\n");
        List<Object> create = new ArrayList<>(List.of("create", set));
        if (kind.equals("journal")) {
            create.addAll(List.of("--journal-size", "2M"));
        }
        boolean failed = true;
        for (int call = 1; failed; call++) {
            try (RandomAccessFile part = new RandomAccessFile(pool.toFile(), "rw")) {
                part.setLength(8 << 20);
            }
            int code;
            try (FailingCalls disk = FailingCalls.under(dir)) {
                disk.fail(call, FailingCalls.EIO);
                code = farheap(create.toArray());
                failed = !disk.failed().isEmpty();
                disk.endProcess();
            }
            String where = "call " + call + ": " + said;
            if (code != 0 && !said.contains("complete all the same")) {
                assertThat(left()).as(where).containsExactlyInAnyOrder(set, pool);
                assertThat(farheap(create.toArray())).as(where + said).isZero();
            }
            for (Path file : left()) {
                if (!file.equals(set)) {
                    Files.delete(file);
                }
            }
        }
    }

    @Test
    void nothingIsSaidOfAnOldPoolWhereThereWasNone() throws IOException {
        Path set = dir.resolve("pool.set");
        Files.writeString(set, "PMEMPOOLSET\n8M " + pool + "\n");
        try (FailingCalls disk = FailingCalls.under(dir)) {
            disk.failAll(Call.ALLOCATE, FailingCalls.ENOSPC);
            assertThat(farheap("create", "-f", set)).isEqualTo(3);
        }
        assertThat(said).contains("No space left").doesNotContain("old pool");
    }

    @Test
    void aCreationThatFailsInPlaceOfALinkSaysWhereTheOldPoolStays() throws IOException {
        Path old = Files.createDirectory(dir.resolve("elsewhere")).toRealPath().resolve("old");
        assertThat(farheap("create", "-l", "old", old)).isZero();
        Files.createSymbolicLink(pool, old);
        try (FailingCalls disk = FailingCalls.under(dir)) {
            disk.failAll(Call.ALLOCATE, FailingCalls.ENOSPC);
            assertThat(farheap("create", "-f", "--yes", pool)).isEqualTo(3);
        }
        assertThat(said)
                .contains("; of the old pool " + old + " stays, only a symbolic link to it is gone")
                .doesNotContain("the old pool is removed");
        ObjectPool.open(old, "old").close();
    }

    @Test
    void aReplacementThatCannotRemoveAllOfTheOldPoolSaysWhatIsGone() throws IOException {
        Path set = dir.resolve("pool.set");
        Path closed = Files.createDirectory(dir.resolve("closed"));
        Files.writeString(set, "PMEMPOOLSET\n8M " + pool + "\nREPLICA\n8M " + closed + "/second\n");
        assertThat(farheap("create", set)).isZero();
        try (FailingCalls disk = FailingCalls.under(closed)) {
            disk.failAll(Call.UNLINK, FailingCalls.EIO);
            assertThat(farheap("create", "-f", set)).isEqualTo(2);
            assertThat(farheap(agreed())).isEqualTo(3);
        }
        assertThat(said)
                .contains(
                        "cannot remove " + closed + "/second",
                        "; removed already: " + pool,
                        "; the same command goes on then");
        assertThat(farheap("create", "-f", set)).isEqualTo(2);
        assertThat(farheap(agreed())).as(said).isZero();
    }

    private Object[] agreed() {
        Matcher agreement = AGREEMENT.matcher(said);
        assertThat(agreement.find()).as(said).isTrue();
        return agreement.group(1).split(" ");
    }

    @Test
    void theOldPoolStaysWhereTheNewOneHasNoRoom() throws IOException {
        assertThat(farheap("create", "-l", "old", pool)).isZero();
        long tooMuch = 2 * Files.getFileStore(dir).getTotalSpace() & -4096;

        assertThat(farheap("create", "-f", "-s", tooMuch, pool)).isEqualTo(3);

        assertThat(said).contains("bytes more than what is there now", "nothing was changed");
        ObjectPool.open(pool, "old").close();
    }

    @Test
    void aCreationThatFailsInPlaceOfAnOldPoolSaysThatThatIsGone() throws IOException {
        assertThat(farheap("create", "-l", "old", pool)).isZero();
        assertThat(farheap("create", "-f", pool)).isEqualTo(2);
        try (FailingCalls disk = FailingCalls.under(dir)) {
            disk.failAll(Call.ALLOCATE, FailingCalls.ENOSPC);
            assertThat(farheap(agreed())).isEqualTo(3);
        }
        assertThat(said)
                .contains("the old pool is removed, as was agreed, and nothing is in its place");
        assertThat(left()).isEmpty();
    }
}
