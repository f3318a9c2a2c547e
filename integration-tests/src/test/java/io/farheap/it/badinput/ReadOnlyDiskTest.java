package io.farheap.it.badinput;

import io.farheap.it.support.SmallDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A pool on a disk that can only be read. Where there can be none the tests are skipped; with
 * {@code CI} set in the environment that is a failure instead.
 */
@Timeout(60)
class ReadOnlyDiskTest {
    private static final int ENVIRONMENT = 3;

    private final Site site = Site.make();

    private SmallDisk disk;
    private String set;

    @BeforeEach
    void aPoolThatCanOnlyBeRead() throws IOException, InterruptedException {
        SmallDisk.require();
        Path here = site.machines().here();
        disk = SmallDisk.mount(here, 40);
        set = here.resolve("small/pool.set").toString();
        Files.writeString(
                disk.file("pool.set"),
                "PMEMPOOLSET\n8M %1$s/small/a\nREPLICA\n8M %1$s/small/b\n".formatted(here));
        farheap("create", "--layout", "bank").succeeded();
        disk.remount("ro");
    }

    private Site.Run farheap(String... words) {
        String[] all = Arrays.copyOf(words, words.length + 1);
        all[words.length] = set;
        return site.within(disk.entering(), all);
    }

    @AfterEach
    void unmount() {
        if (disk != null) {
            disk.close();
        }
        site.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "info",
                "info -v -s",
                "check",
                "check --dry-run --repair",
                "verify",
                "status",
                "poolset",
                "feature --list",
                "feature --query SHUTDOWN_STATE",
                "sync --dry-run"
            })
    @Tag("deep")
    void isLookedAtAsAnyOther(String words) {
        farheap(words.split(" ")).succeeded();
    }

    @Test
    void isNotChanged() {
        farheap("feature", "--disable", "SHUTDOWN_STATE")
                .failedWith(ENVIRONMENT, "small/a", "Read-only file system");
    }
}
