package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.base.ReplicaPolicy;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.replication.status.ProgramStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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

    /** What the program has taken up is waited for, and not what this command reads. */
    @Test
    void anotherFileOfThePoolIsNotWaitedFor() throws IOException {
        Path set = set();
        try (ObjectPool open = ObjectPool.create(set, "bank")) {
            Path other = dir.resolve("other.set");
            Files.writeString(other, Files.readString(set) + "REPLICA far bank.set\n");
            assertThat(Run.farheap("reload", other).succeeded().out())
                    .contains(set + ": process ")
                    .doesNotContain(other.toString());
            assertThat(open.replicas()).isEmpty();
        }
    }

    private static ProgramStatus.Copy copy(String name, State state) {
        return new ProgramStatus.Copy(
                name, ReplicaPolicy.DEGRADE, state, 4, 0, 0, 0, 0, "", "", List.of());
    }

    /** Its line may have been taken out for just that. */
    @Test
    void oneThatLeavesAndIsRefusedEndsNothing() {
        List<ProgramStatus.Copy> copies =
                List.of(copy("b copy.set", State.REFUSED), copy("c copy.set", State.ATTACHED));
        assertThat(ReloadCommand.standing(copies, List.of("c copy.set")))
                .isEqualTo(ReloadCommand.Standing.UNDER_WAY);
        assertThat(ReloadCommand.standing(copies, List.of("b copy.set", "c copy.set")))
                .isEqualTo(ReloadCommand.Standing.REFUSED);
        assertThat(ReloadCommand.standing(copies.subList(1, 2), List.of("c copy.set")))
                .isEqualTo(ReloadCommand.Standing.DONE);
    }
}
