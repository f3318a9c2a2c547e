package io.farheap.agent.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.agent.lock.LockRequest;
import io.farheap.agent.lock.ReplicaLock;
import io.farheap.agent.session.HostileGround.Found;
import io.farheap.replication.control.Purpose;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.control.Request;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the control connection's fuzz test found, or would have, each by itself. */
class HostileInitiatorTest {
    private HostileGround ground;

    @BeforeEach
    void make() throws IOException {
        ground = HostileGround.create();
        ground.prepare(Found.NOTHING);
    }

    @AfterEach
    void delete() throws IOException {
        ground.delete();
    }

    private void assertRefused(Purpose purpose, String name, Code code, Request... more)
            throws Exception {
        TestInitiator initiator = TestInitiator.connect(ground.directory());
        try (initiator) {
            Request.Hello hello = HostileGround.hello(purpose, name, 2, true, true);
            Reply reply = initiator.ask(hello);
            for (Request request : more) {
                reply = initiator.ask(request);
            }
            assertThat(reply)
                    .isInstanceOfSatisfying(
                            Reply.Refused.class,
                            refused -> assertThat(refused.code()).isEqualTo(code));
        }
        assertThat(initiator.awaitEnd()).isFalse();
    }

    /** With a name alone any file could be read in part, replaced or removed. */
    @ParameterizedTest
    @EnumSource(names = {"ATTACH", "RESTORE", "VERIFY", "INSPECT", "REMOVE"})
    void aFileThatIsNoPoolsetIsNoReplica(Purpose purpose) throws Exception {
        assertRefused(purpose, "backup.tar", Code.BAD_POOLSET);
        assertRefused(purpose, "notes.txt", Code.BAD_POOLSET);
        ground.check(false);
    }

    /** The second part of a set with one header is all its initiator's, from the first byte on. */
    @Test
    void whatAnInitiatorWroteIsNoPoolset() throws Exception {
        Path part = ground.directory().resolve("part0");
        Path victim = ground.directory().resolve("directory/victim");
        byte[] content = new byte[2 << 20];
        byte[] text = ("PMEMPOOLSET\n10M " + victim + "\n#").getBytes(StandardCharsets.UTF_8);
        System.arraycopy(text, 0, content, 0, text.length);
        Arrays.fill(content, text.length, content.length, (byte) 'x');
        Files.write(part, content);
        assertRefused(Purpose.ATTACH, "part0", Code.BAD_POOLSET);
        ground.check(false);
    }

    /** Its name is the third word of the lock file, and without it nobody would know the second. */
    @Test
    void anInitiatorWithoutANameCanBeTakenOver() {
        Path path = ground.directory().resolve("part0.journal.lock");
        try (ReplicaLock lock =
                ReplicaLock.acquire(path, LockRequest.onTarget(" \n", false), Duration.ZERO)) {
            assertThat(ReplicaLock.holder(path)).startsWith("an initiator (agent process ");
            lock.removeUnless(path.resolveSibling("part0.journal"));
        }
    }

    /** Nothing tells how old the content beside it is. */
    @Test
    void aJournalThatEndsBetweenItsSlotsIsOverwrittenByOrderOnly() throws Exception {
        ground.prepare(Found.MEMBER);
        byte[] journal = new byte[5000];
        journal[4096] = 1;
        Files.write(ground.directory().resolve("part0.journal"), journal);
        TestInitiator initiator = TestInitiator.connect(ground.directory());
        try (initiator) {
            Request.Hello hello =
                    HostileGround.hello(Purpose.ATTACH, "bank.set", HostileGround.N, false, false);
            assertThat(initiator.ask(hello))
                    .isInstanceOfSatisfying(
                            Reply.Refused.class,
                            refused -> assertThat(refused.code()).isEqualTo(Code.EXISTS));
        }
        assertThat(initiator.awaitEnd()).isFalse();
    }

    /** Part files without a journal are a pool of the target's own. */
    @Test
    void aPoolOfTheTargetIsNotReplacedOrRemoved() throws Exception {
        assertRefused(Purpose.ATTACH, "own.set", Code.WRONG_POOL);
        assertRefused(Purpose.REMOVE, "own.set", Code.EXISTS, new Request.Remove(true, false));
        ground.check(false);
    }
}
