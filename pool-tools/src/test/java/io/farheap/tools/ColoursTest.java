package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.layout.Descriptor;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which words have a colour where there are colours: the verdicts. */
class ColoursTest {
    private static final String GREEN = "\u001b[32m";
    private static final String YELLOW = "\u001b[33m";
    private static final String RED = "\u001b[31m";
    private static final String PLAIN = "\u001b[0m";

    @TempDir private Path dir;
    private Path set;

    @BeforeEach
    void aMirroredPool() throws IOException {
        set = dir.resolve("bank.set");
        Files.writeString(set, "PMEMPOOLSET\n8M %1$s/a\nREPLICA\n8M %1$s/b\n".formatted(dir));
        ObjectPool.create(set, "bank").close();
    }

    private void overwrite(String part, long offset, byte... bytes) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(dir.resolve(part).toFile(), "rw")) {
            file.seek(offset);
            file.write(bytes);
        }
    }

    @Test
    void whatIsGoodIsGreen() {
        assertThat(Run.inColour("status", set).out()).contains(GREEN + "current" + PLAIN + ": ");
        assertThat(Run.inColour("verify", set).out()).contains(GREEN + "equal" + PLAIN);
        assertThat(Run.inColour("check", set).out()).endsWith(GREEN + "consistent" + PLAIN + "\n");
    }

    @Test
    void damageIsRed() throws IOException {
        overwrite("b", Descriptor.OFFSET, new byte[64]);
        assertThat(Run.inColour("status", set).out()).contains(RED + "broken" + PLAIN + ": ");
        assertThat(Run.inColour("verify", set).out()).contains(RED + "broken" + PLAIN);
        assertThat(Run.inColour("check", set).out())
                .contains(RED + "not consistent" + PLAIN + "\n");
    }

    @Test
    void whatWantsALookIsYellow() throws IOException {
        overwrite("b", Descriptor.RUN_ID, (byte) 1);
        assertThat(Run.inColour("status", set).out())
                .contains(YELLOW + "of another run" + PLAIN + ": ");
    }

    @Test
    void soIsWhatCameOfARepair() throws IOException {
        Files.delete(dir.resolve("b"));
        assertThat(Run.inColour("sync", set).out())
                .endsWith(": " + GREEN + "synchronized" + PLAIN + "\n");
        overwrite("b", Descriptor.OFFSET, new byte[64]);
        assertThat(Run.inColour("check", "-r", "-y", set).out())
                .endsWith(": " + GREEN + "repaired" + PLAIN + "\n");
    }

    @Test
    void programsGetNone() throws IOException {
        for (String command : List.of("status", "verify", "check", "sync", "info")) {
            assertThat(Run.inColour(command, "--json", set).succeeded().out())
                    .doesNotContain("\u001b");
            assertThat(Run.farheap(command, set).succeeded().out()).doesNotContain("\u001b");
        }
    }

    @Test
    void theHelpHasThemToo() {
        assertThat(Run.inColour("--help").out()).contains("\u001b[");
        assertThat(Run.farheap("--help").out()).doesNotContain("\u001b");
    }
}
