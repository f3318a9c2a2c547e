package io.farheap.it.badinput;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.it.support.SmallDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A disk of 9 MiB, which is too small. Where there can be none the tests are skipped; with {@code
 * CI} set in the environment that is a failure instead.
 */
@Timeout(60)
class FullDiskTest {
    private static final int ENVIRONMENT = 3;
    private static final int REPLICA = 4;

    private SmallDisk disk;

    private final Site site = Site.make();

    @BeforeEach
    void canMount() throws IOException, InterruptedException {
        SmallDisk.require();
    }

    private void mount(Path machine, String poolset) throws IOException {
        disk = SmallDisk.mount(machine, 9);
        Files.writeString(disk.file("pool.set"), poolset);
    }

    @AfterEach
    void unmount() {
        if (disk != null) {
            disk.close();
        }
        site.close();
    }

    @Test
    void leavesNoFileHere() throws IOException {
        Path here = site.machines().here();
        mount(here, "PMEMPOOLSET\n8M %1$s/small/a\n8M %1$s/small/b\n".formatted(here));

        Site.Run run =
                site.within(disk.entering(), "create", here.resolve("small/pool.set").toString());

        run.failedWith(
                ENVIRONMENT, "8388608 bytes", "small/b", "No space left on device", "make room");
        assertThat(disk.names()).containsExactly("pool.set");
    }

    @Test
    void leavesNoPlainPoolHere() throws IOException {
        Path here = site.machines().here();
        mount(here, "");

        Site.Run run =
                site.within(
                        disk.entering(),
                        "create",
                        "-s",
                        "64M",
                        here.resolve("small/plain").toString());

        run.failedWith(ENVIRONMENT, "small/plain", "No space left on device", "make room");
        assertThat(disk.names()).containsExactly("pool.set");
    }

    private Site.Run create(String... words) {
        return site.within(disk.entering(), words(new String[] {"create"}, words));
    }

    private static String[] words(String[] first, String... more) {
        return Stream.concat(Stream.of(first), Stream.of(more)).toArray(String[]::new);
    }

    /** What counts as an ordinary disk, of 40 MiB, with a poolset file. */
    private String pool() throws IOException {
        disk = SmallDisk.mountAsOrdinary(site.machines().here(), 40);
        return site.machines().here().resolve("small/a.pool").toString();
    }

    @Test
    void aPoolOfAllThatIsFreeLeavesRoomForItsDiskJournal() throws IOException {
        String pool = pool();

        create("-M", pool).succeeded();

        assertThat(disk.names()).containsExactly("a.pool", "a.pool.disk-journal");
        long journal = Files.size(disk.file("a.pool.disk-journal"));
        assertThat(Files.size(disk.file("a.pool"))).isBetween(31L << 20, 32L << 20);
        assertThat(journal).isBetween(15L << 19, 8L << 20);
        site.within(disk.entering(), "check", pool).succeeded();
    }

    @Test
    void aPoolBesideWhichADiskJournalHasNoRoomIsNotMade() throws IOException {
        String pool = pool();

        create("-s", "36M", pool)
                .failedWith(
                        ENVIRONMENT,
                        "cannot reserve",
                        "disk-journal",
                        "No space left on device",
                        "FARHEAP_DURABILITY=pages");

        assertThat(disk.names()).isEmpty();
    }

    @Test
    void oneThatIsThereIsOpenedWithoutAndTheLogSaysWhy() throws IOException {
        String pool = pool();
        String[] pages = words(disk.entering(), "env", "FARHEAP_DURABILITY=pages");
        String[] journal = words(disk.entering(), "env", "FARHEAP_DURABILITY=journal");
        site.within(pages, "create", "-s", "36M", "-l", "farheap-objects", pool).succeeded();

        Site.Run run = site.within(disk.entering(), "load", pool); // of an empty dump

        assertThat(run.err())
                .contains(
                        "WARN",
                        "a.pool is open without a disk journal",
                        "No space left on device",
                        "FARHEAP_DURABILITY=pages");
        assertThat(disk.names()).containsExactly("a.pool");
        site.within(journal, "load", pool)
                .failedWith(ENVIRONMENT, "No space left", "FARHEAP_DURABILITY=pages");
        assertThat(site.within(pages, "load", pool).err()).doesNotContain("WARN");
    }

    @Test
    @Tag("deep")
    void leavesNoFileThere() throws IOException {
        fullTarget(false, "No space left on device", "make room");
        assertThat(disk.names()).containsExactly("pool.set");
    }

    @Test
    @Tag("deep")
    void leavesNoFileThereWhereNotAByteIsFree() throws IOException {
        fullTarget(true, "lock file", "Make room");
        assertThat(disk.names()).containsExactly("full", "pool.set");
    }

    private void fullTarget(boolean notAByteIsFree, String... says) throws IOException {
        Path there = site.there("");
        mount(there, "PMEMPOOLSET\n8M %s/small/copy\n".formatted(there));
        if (notAByteIsFree) {
            disk.fill("full");
        }
        String agent = site.machines().settings().agentCommand(0).replaceFirst("^exec ", "");
        site.machines()
                .set("RPMEM_CMD", "exec " + String.join(" ", disk.entering()) + " " + agent)
                .write(
                        site.there("agent.conf"),
                        "poolset-dir = %1$s/small\njournal-size = 4M\nlog-file = %1$s/agent.log\n"
                                .formatted(there));
        site.machines().poolSet("here", "pool.set", "8M", "there pool.set");
        Map<String, Long> before = site.files();

        Site.Run run = site.farheap("create", "pool.set");

        run.failedWith(REPLICA, says);
        assertThat(site.files()).isEqualTo(before);
    }
}
