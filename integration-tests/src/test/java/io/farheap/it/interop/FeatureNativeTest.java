package io.farheap.it.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.layout.PoolHeader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code farheap feature} beside {@code pmempool feature}: same verdicts, same header bytes. */
class FeatureNativeTest {
    private static final List<String> PARTS = List.of("a", "b", "c");

    /** Each from where the one before led. */
    private static final List<String> COMMANDS =
            List.of(
                    "-q SHUTDOWN_STATE",
                    "-q SINGLEHDR",
                    "-e SINGLEHDR",
                    "-d CKSUM_2K",
                    "-d SHUTDOWN_STATE",
                    "-d SHUTDOWN_STATE",
                    "-d CHECK_BAD_BLOCKS",
                    "-d CKSUM_2K",
                    "-q CKSUM_2K",
                    "-e SHUTDOWN_STATE",
                    "-e CKSUM_2K",
                    "-e SHUTDOWN_STATE",
                    "-e CHECK_BAD_BLOCKS");

    @TempDir private Path directory;
    private Path set;

    @BeforeEach
    void aSet() throws IOException {
        NativeJudge.require();
        set = directory.resolve("z.set");
        String lines = "PMEMPOOLSET\n8M @/a\n8M @/b\nREPLICA\n16M @/c\n";
        Files.writeString(set, lines.replace("@", directory.toString()));
        ObjectPool.create(set, "").close();
    }

    private byte[] headers() throws IOException {
        byte[] all = new byte[(int) PoolHeader.SIZE * PARTS.size()];
        for (int p = 0; p < PARTS.size(); p++) {
            byte[] part = Files.readAllBytes(directory.resolve(PARTS.get(p)));
            System.arraycopy(part, 0, all, (int) PoolHeader.SIZE * p, (int) PoolHeader.SIZE);
        }
        return all;
    }

    private void copy(String from, String to) throws IOException {
        for (String part : PARTS) {
            Files.copy(
                    directory.resolve(part + from),
                    directory.resolve(part + to),
                    StandardCopyOption.REPLACE_EXISTING);
        }
    }

    @Test
    void verdictsAndHeadersAreTheSame() throws IOException {
        for (String command : COMMANDS) {
            String[] words = ("feature " + command + " " + set).split(" ");
            copy("", ".before");
            NativeJudge.Answer theirs = NativeTools.pmempool(words);
            byte[] expected = headers();
            copy(".before", "");
            NativeJudge.Answer ours = NativeTools.farheap(words);
            assertThat(ours.exitCode() == 0)
                    .as("%s: %s, %s", command, theirs, ours)
                    .isEqualTo(theirs.exitCode() == 0);
            assertThat(ours.out().strip()).as(command).isEqualTo(theirs.out().strip());
            assertThat(Arrays.equals(headers(), expected)).as(command).isTrue();
        }
        NativeJudge.assertConsistent(set);
    }
}
