package io.farheap.it.badinput;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.it.support.HoldOpen;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A program has a replicated pool open; everybody else is told who it is, and changes nothing. */
@Timeout(90)
class PoolInUseTest {
    private static final int ENVIRONMENT = 3;
    private static final int WRONG_USE = 2;

    private static Site site;
    private static Process holder;

    @BeforeAll
    static void open() throws IOException {
        site = Site.make();
        // A second initiator waits until the first would have been found dead: be quick about it.
        site.machines().set("FARHEAP_HEARTBEAT", "600ms");
        holder = site.machines().java(HoldOpen.class, site.set().toString()).start();
        assertThat(holder.inputReader().readLine()).isEqualTo("open");
    }

    @AfterAll
    static void close() {
        site.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"check", "info", "rm", "rm -f -a", "sync", "sync --dry-run"})
    void everyCommandNamesTheHolder(String command) {
        String[] words = (command + " pool.set").split(" ");

        Site.Run run = site.farheap(words);

        run.failedWith(ENVIRONMENT, "pool.part0", "process " + holder.pid());
        assertThat(site.files())
                .containsOnlyKeys(
                        "here/pool.part0",
                        "here/pool.part0.status",
                        "here/pool.set",
                        "local-ssh",
                        "there/agent.conf",
                        "there/copy.part0",
                        "there/copy.part0.journal",
                        "there/copy.part0.journal.lock",
                        "there/copy.part0.readers",
                        "there/copy.set");
        assertThat(holder.isAlive()).isTrue();
    }

    @Test
    void itsReplicaIsNotGivenToAnotherPool() throws IOException {
        Path other = site.machines().poolSet("here", "other.set", "8M", "there copy.set");
        Map<String, Long> before = site.files();

        Site.Run run = site.farheap("create", "-l", "bank", "other.set");

        Files.delete(other);
        run.failedWith(
                WRONG_USE, "replica there copy.set: ", "the target holds a copy of the pool");
        before.remove("here/other.set");
        assertThat(site.files().keySet()).isEqualTo(before.keySet());
        assertThat(holder.isAlive()).isTrue();
    }
}
