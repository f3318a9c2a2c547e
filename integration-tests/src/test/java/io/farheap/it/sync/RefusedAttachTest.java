package io.farheap.it.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.it.support.Machines;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A target refuses the replica at open: what the message says to type makes the pool open. */
@Tag("deep")
@Timeout(300)
class RefusedAttachTest {
    private static final int PAGE = 4096;
    private static final String COMMAND = "farheap (sync( --overwrite \"[^\"]+\")?) ";
    private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|(\\S+)");

    private Machines machines;
    private Path set;
    private Path part;
    private Path journal;

    @BeforeEach
    void pool() throws Exception {
        machines = Machines.with("one");
        machines.poolSet("one", "copy.set", "8M");
        set = machines.poolSet("here", "pool.set", "8M", "one copy.set");
        part = machines.machine("one").resolve("copy.part0");
        journal = machines.machine("one").resolve("copy.part0.journal");
        opened();
    }

    @AfterEach
    void none() {
        machines.close();
    }

    private SyncSite.Run open() throws Exception {
        return SyncSite.run(machines.java(Notes.class, set.toString(), "1"));
    }

    private void opened() throws Exception {
        assertThat(open().exitCode()).isZero();
    }

    private String refused() throws Exception {
        SyncSite.Run run = open();
        assertThat(run.exitCode()).isNotZero();
        return run.err().stream()
                .filter(line -> line.contains("Exception"))
                .findFirst()
                .orElseThrow();
    }

    private static void damage(Path file) throws IOException {
        byte[] page = new byte[PAGE];
        Arrays.fill(page, (byte) 0x5a);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            assertThat(channel.write(ByteBuffer.wrap(page), 0)).isEqualTo(PAGE);
        }
    }

    /** Types the one command of the message, after which the pool opens. */
    private void typed(String message) throws Exception {
        Matcher command = Pattern.compile(COMMAND + Pattern.quote(set.toString())).matcher(message);
        assertThat(command.find()).as(message).isTrue();
        List<String> words = new ArrayList<>();
        Matcher word = WORD.matcher(command.group(1));
        while (word.find()) {
            words.add(word.group(1) == null ? word.group(2) : word.group(1));
        }
        words.add(set.toString());
        SyncSite.Run typed =
                SyncSite.agreeing(
                        all -> SyncSite.run(machines.farheap(all)), words.toArray(String[]::new));
        assertThat(typed.exitCode()).as("%s: %s", message, typed.err()).isZero();
        opened();
    }

    @Test
    void aPartThatIsLostOrBrokenIsMadeAnewBySync() throws Exception {
        Files.delete(part);
        String lost = refused();
        assertThat(lost).doesNotContain("--overwrite");
        typed(lost);

        damage(part);
        String broken = refused();
        assertThat(broken).doesNotContain("--overwrite");
        typed(broken);
    }

    /** Only its owner knows whether it is newer. */
    @Test
    void whatNoJournalTellsOfIsMadeAnewByOrderOnly() throws Exception {
        damage(journal);
        String damaged = refused();
        assertThat(damaged).contains("--overwrite");
        typed(damaged);

        Files.write(journal, new byte[0]);
        String empty = refused();
        assertThat(empty).contains("--overwrite");
        assertThat(Files.size(part)).isEqualTo(8 << 20);
        typed(empty);
    }

    @Test
    void whatTheTargetsOwnerHasToMendIsNoMatterOfSync() throws Exception {
        Path lock = machines.machine("one").resolve("copy.part0.journal.lock");
        Files.deleteIfExists(lock);
        Files.createDirectory(lock);

        String message = refused();

        assertThat(message).contains("; mend that on the target").doesNotContain("farheap sync");
        Files.delete(lock);
        opened();
    }
}
