package io.farheap.agent.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.agent.base.PoolsetDirectory;
import io.farheap.agent.base.Refusal;
import io.farheap.agent.session.TestInitiator;
import io.farheap.base.FarheapException;
import io.farheap.layout.Descriptor;
import io.farheap.layout.PoolUuid;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.control.Purpose;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.testing.FailingCalls;
import io.farheap.testing.LosingDisk;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A replica that was made, or half made, and never got anything, keeps nobody from making one. */
@Timeout(120)
class UnfilledReplicaTest {
    private static final long N = 5000;
    private static final int STRIDE = Boolean.getBoolean("test.deep") ? 1 : 4;
    private static final long JOURNAL_BYTES = 64 << 10;

    @TempDir private Path directory;
    private Path part;
    private Path journal;

    @BeforeEach
    void writePoolset() throws IOException {
        part = directory.resolve("part0");
        journal = directory.resolve("part0.journal");
        Files.writeString(directory.resolve("bank.set"), "PMEMPOOLSET\n10M " + part + "\n");
    }

    private ReplicaPaths paths() {
        return ReplicaPaths.of(new PoolsetDirectory(directory), "bank.set");
    }

    /** As one for a pool that never came to be, whose agent was killed then. */
    private void make() {
        make(PoolUuid.random());
    }

    private void make(PoolUuid pool) {
        create(pool).close();
    }

    private OpenReplica create(PoolUuid pool) {
        return OpenReplica.create(
                paths(),
                TestInitiator.header(pool),
                TestInitiator.IMAGE_BYTES,
                0600,
                JOURNAL_BYTES);
    }

    private void overwrite(Path file, long offset, int length, int with) throws IOException {
        byte[] bytes = new byte[length];
        java.util.Arrays.fill(bytes, (byte) with);
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.seek(offset);
            open.write(bytes);
        }
    }

    private Reply attach() throws Exception {
        try (TestInitiator initiator = TestInitiator.connect(directory)) {
            Reply reply = initiator.ask(TestInitiator.attach("bank.set", 0, N));
            initiator.close();
            boolean unused = initiator.awaitEnd();
            return reply;
        }
    }

    private void assertMadeAnew() throws Exception {
        assertThat(attach())
                .isInstanceOfSatisfying(
                        Reply.Verdict.class,
                        verdict -> assertThat(verdict.kind()).isEqualTo(AttachDecision.NEW));
    }

    private Reply.Verdict look() throws Exception {
        try (TestInitiator initiator = TestInitiator.connect(directory)) {
            var hello = TestInitiator.hello(Purpose.INSPECT, "bank.set", 0, 0, 1000, false);
            return (Reply.Verdict) initiator.ask(hello);
        }
    }

    @Test
    void anotherPoolsNewOneIsMadeAnew() throws Exception {
        make();
        assertThat(look().slot().state()).isEqualTo(ReplicaState.NEW);
        assertMadeAnew();
    }

    @Test
    void anUnfinishedOneIsNothing() throws Exception {
        make();
        overwrite(journal, 0, (int) Files.size(journal), 0);
        assertThat(look().slot()).isNull();
        assertThat(look().faults()).isEmpty();
        assertMadeAnew();
    }

    @Test
    void aNewOneWithoutItsPartIsMadeAnew() throws Exception {
        make();
        Files.delete(part);
        assertMadeAnew();
    }

    /** Whatever its journal says. */
    @Test
    void whatHasContentIsLeft() throws Exception {
        make();
        overwrite(part, Descriptor.OFFSET, 64, 7);
        assertThat(attach())
                .isInstanceOfSatisfying(
                        Reply.Refused.class,
                        refused -> assertThat(refused.code()).isEqualTo(Code.HOLDS_POOL));
        overwrite(journal, 0, (int) Files.size(journal), 0);
        assertThat(look().faults()).isNotEmpty();
        assertThat(attach())
                .isInstanceOfSatisfying(
                        Reply.Refused.class,
                        refused -> assertThat(refused.code()).isEqualTo(Code.WRONG_POOL));
    }

    @Test
    void aCreationThatFailsAtAnyCallLeavesNothing() {
        Map<Path, byte[]> before = LosingDisk.read(directory);
        int failures = 0;
        boolean made = false;
        for (long call = 1; !made; call++) {
            LosingDisk.write(directory, before);
            try (FailingCalls disk = FailingCalls.under(directory)) {
                disk.fail(call, FailingCalls.EIO);
                OpenReplica replica = create(TestInitiator.POOL);
                made = disk.failed().isEmpty();
                disk.heal();
                replica.close();
            } catch (FarheapException e) {
                failures++;
                assertThat(directory.toFile().list())
                        .as("call %d: %s", call, e)
                        .containsExactly("bank.set");
            }
        }
        assertThat(failures).isGreaterThan(20);
    }

    /** They would pass for a pool that is no replica. */
    @Test
    @Tag("sliced")
    void noPowerLossLeavesPartsThatHaveLostTheirJournal() {
        make(TestInitiator.POOL);
        Map<Path, byte[]> made = LosingDisk.read(directory);
        for (int seed = 0; seed < 240; seed += STRIDE) {
            LosingDisk.write(directory, made);
            Map<Path, byte[]> left;
            try (LosingDisk losing = LosingDisk.under(directory);
                    FailingCalls disk = FailingCalls.under(directory)) {
                disk.failAllFrom(1 + seed / 8, FailingCalls.EIO);
                try {
                    new ReplicaRemoval(paths()).remove(false);
                } catch (FarheapException e) {
                    assertThat(e).hasMessageContaining(directory.toString());
                }
                left = losing.losePower(new Random(seed));
                disk.endProcess();
            }
            if (left.containsKey(part)) {
                assertThat(left).as("seed %d", seed).containsKey(journal);
            }
        }
        assertThatThrownBy(() -> new ReplicaRemoval(paths()).remove(false))
                .isInstanceOf(Refusal.class);
    }
}
