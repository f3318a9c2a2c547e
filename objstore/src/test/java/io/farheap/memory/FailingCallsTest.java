package io.farheap.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.testing.FailingCalls;
import io.farheap.testing.FailingCalls.Call;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FailingCallsTest {
    private static final int LONG_TEXT = 3 << 20;

    @TempDir private Path directory;

    private Path path() {
        return directory.resolve("a");
    }

    /** All of a file's life, in which each call counts once. */
    private void use() {
        try (NativeFile file = NativeFile.create(path())) {
            file.lock();
            file.allocate(4096);
            file.write(MemorySegment.ofArray(new byte[] {1, 2, 3}), 0);
            file.setMode(0600);
            file.sync();
        }
        NativeFile.syncDirectory(directory);
        try (NativeFile file = NativeFile.openOrCreate(path(), 0600)) {
            file.replace(new byte[] {4, 5});
            assertThat(file.size()).isEqualTo(2);
        }
        NativeFile.rename(path(), directory.resolve("b"));
        assertThat(NativeFile.delete(directory.resolve("b"))).isTrue();
    }

    /** But for a rename, which POSIX has no signal interrupt. */
    @Test
    void aSignalChangesNothing() {
        int failed = 0;
        for (Call call : EnumSet.complementOf(EnumSet.of(Call.RENAME))) {
            try (FailingCalls disk = FailingCalls.under(directory)) {
                disk.fail(call, 1, FailingCalls.EINTR);
                use();
                failed += disk.failed().size();
            }
        }
        assertThat(failed).isEqualTo(10);
    }

    @Test
    void eachErrorNamesTheFileAndTheNextStep() throws IOException {
        try (FailingCalls disk = FailingCalls.under(directory)) {
            for (int k = 1; ; k++) {
                disk.heal();
                disk.fail(k, FailingCalls.EIO);
                int before = disk.failed().size();
                try {
                    use();
                } catch (FarheapException e) {
                    assertThat(e).hasMessageContaining(directory.toString());
                    assertThat(e.getMessage()).containsAnyOf("(dmesg)", "make room");
                }
                if (disk.failed().size() == before) {
                    return;
                }
                disk.heal();
                Files.deleteIfExists(path());
                Files.deleteIfExists(directory.resolve("b"));
            }
        }
    }

    @Test
    void whatIsReadOrWrittenInPartGoesOn() {
        byte[] text = new byte[LONG_TEXT];
        for (int i = 0; i < text.length; i++) {
            text[i] = (byte) (i / 7);
        }
        byte[] back = new byte[LONG_TEXT];
        byte[] end = new byte[LONG_TEXT];
        try (FailingCalls disk = FailingCalls.under(directory);
                NativeFile file = NativeFile.create(path())) {
            disk.fail(Call.WRITE, 2, FailingCalls.SHORT);
            disk.fail(Call.READ, 1, FailingCalls.SHORT);
            file.write(MemorySegment.ofArray(text), 10);
            assertThat(file.read(MemorySegment.ofArray(back), 10)).isEqualTo(LONG_TEXT);
            assertThat(disk.failed()).hasSize(2);
            assertThat(file.size()).isEqualTo(LONG_TEXT + 10);
            assertThat(file.read(MemorySegment.ofArray(end), LONG_TEXT)).isEqualTo(10);
        }
        assertThat(back).isEqualTo(text);
        assertThat(end).startsWith(Arrays.copyOfRange(text, LONG_TEXT - 10, LONG_TEXT));
    }

    @Test
    void filesElsewhereAreNotTouched(@TempDir Path elsewhere) throws IOException {
        try (FailingCalls disk = FailingCalls.under(directory)) {
            disk.failAllFrom(1, FailingCalls.EIO);
            NativeFile.create(elsewhere.resolve("a")).close();
            assertThat(disk.count()).isZero();
            assertThatThrownBy(this::use).hasMessageContaining("Input/output error");
        }
        use();
    }

    @Test
    void disksAreClosedInTheOppositeOrder() {
        FailingCalls first = FailingCalls.under(directory);
        FailingCalls second = FailingCalls.under(directory);
        assertThatThrownBy(first::close).isInstanceOf(IllegalStateException.class);
        second.close();
        first.close();
    }

    @Test
    void aProgramCanNotBeStartedOrAnotherRunsInItsPlace() throws IOException {
        List<String> command = List.of(directory.resolve("ssh").toString(), "host");
        try (FailingCalls disk = FailingCalls.under(directory)) {
            disk.fail(Call.START, 1, FailingCalls.EIO);
            assertThatThrownBy(() -> Programs.start(command))
                    .isInstanceOf(IOException.class)
                    .hasMessage("error=5, Input/output error");
            List<List<String>> started = new ArrayList<>();
            disk.programs(
                    words -> {
                        started.add(words);
                        return null;
                    });
            assertThat(Programs.start(command)).isNull();
            assertThat(started).containsExactly(command);
        }
        assertThatThrownBy(() -> Programs.start(command)).isInstanceOf(IOException.class);
    }

    @Test
    void aNewFileHasTheModeThatTheUmaskLeaves() throws IOException {
        NativeFile.openOrCreate(path(), 0666).close();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path())))
                .isEqualTo(
                        PosixFilePermissions.toString(
                                Files.getPosixFilePermissions(
                                        Files.createFile(directory.resolve("b")))));
        Files.writeString(path(), "some text");
        NativeFile.openOrCreate(path(), 0666).close();
        assertThat(path()).hasContent("some text");
        Path link = Files.createSymbolicLink(directory.resolve("link"), path());
        assertThatThrownBy(() -> NativeFile.openOrCreate(link, 0666)).hasMessageContaining("link");
    }

    @Test
    void aLinkInThePlaceOfAFileIsNotFollowed() throws IOException {
        Files.writeString(path(), "somebody's");
        Path link = Files.createSymbolicLink(directory.resolve("link"), path());

        assertThatThrownBy(() -> NativeFile.openNoFollow(link))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("link");
        NativeFile.openNoFollow(path()).close();
    }
}
