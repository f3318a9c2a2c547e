package io.farheap.agent.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.replication.control.Purpose;
import io.farheap.replication.control.Reply;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An agent is asked how much is free by a poolset whose part is never made. */
@Timeout(60)
class FreeRoomTest {
    private static final Path SMALL = Path.of("/dev/shm");

    @TempDir private Path directory;

    private Reply look(Path... folders) throws Exception {
        StringBuilder set = new StringBuilder("PMEMPOOLSET\n");
        for (int i = 0; i < folders.length; i++) {
            set.append("10M ").append(folders[i].resolve("no-such.part" + i)).append('\n');
        }
        Files.writeString(directory.resolve("room.set"), set);
        try (TestInitiator initiator = TestInitiator.connect(directory)) {
            return initiator.ask(
                    TestInitiator.hello(Purpose.INSPECT, "room.set", 0, 0, 1000, false));
        }
    }

    private static long free(Path folder) throws IOException {
        return Files.getFileStore(folder).getUsableSpace();
    }

    @Test
    void whoLooksIsToldWhatIsFreeAndNothingIsMade() throws Exception {
        Reply.Verdict verdict = (Reply.Verdict) look(directory);

        // Others write there, too.
        assertThat(verdict.room()).isBetween(free(directory) / 2, 2 * free(directory) + 1);
        assertThat(verdict.slot()).isNull();
        assertThat(verdict.faults()).isEmpty();
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files.map(Path::getFileName).map(Path::toString)).contains("room.set");
        }
        assertThat(directory.resolve("no-such.part0")).doesNotExist();
    }

    @Test
    void theLeastOfItsFoldersCounts() throws Exception {
        List<Path> folders = List.of(directory, SMALL, Path.of("/proc"));
        Reply.Verdict verdict = (Reply.Verdict) look(folders.toArray(Path[]::new));

        assertThat(verdict.room()).as("of /proc").isZero();
    }

    @Test
    void aFolderThatIsNotThereIsRefusedByName() throws Exception {
        assertThat(look(directory.resolve("unmounted")))
                .isInstanceOfSatisfying(
                        Reply.Refused.class,
                        refused ->
                                assertThat(refused.message()).contains("unmounted is not there"));
    }
}
