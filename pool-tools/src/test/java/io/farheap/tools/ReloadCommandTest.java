package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ReloadCommandTest {
    @TempDir private Path dir;

    private Path set(String... lines) throws IOException {
        Path set = dir.resolve("bank.set");
        Files.writeString(
                set,
                "PMEMPOOLSET\n8M " + dir.resolve("a") + "\n" + String.join("\n", lines) + "\n");
        return set;
    }

    @Test
    void withoutAProgramItSaysWhoReadsTheFile() throws IOException {
        Path set = set();
        ObjectPool.create(set, "bank").close();
        Run.farheap("reload", set)
                .failedWith(3, "no program has the pool open", "next one that opens it");
    }

    @Test
    void theProgramReadsItAgainAndSaysWhatItRefuses() throws IOException {
        Path set = set();
        try (ObjectPool open = ObjectPool.create(set, "bank")) {
            assertThat(Run.farheap("reload", "--no-wait", set).succeeded().out())
                    .contains("process " + ProcessHandle.current().pid() + " has read it again");
            Run.farheap("reload", set).succeeded();
            Path other = set("REPLICA far bank.set");
            Run.farheap("reload", other)
                    .failedWith(3, "says: ", "without remote replicas", "nothing has changed");
            assertThat(open.replicas()).isEmpty();
        }
    }
}
