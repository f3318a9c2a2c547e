package io.farheap.tools;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.memory.NativeFile;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A pool that a load has made and withdraws is nobody's in between: no program could lose it. */
@Timeout(60)
class LoadWithdrawalTest {
    @TempDir private Path dir;

    /** What is read when the pool is made, and who waits for it is there. */
    private static final class LateInput extends InputStream {
        private final ByteArrayInputStream content = new ByteArrayInputStream("{".getBytes(UTF_8));
        private final CountDownLatch asked = new CountDownLatch(1);
        private final CountDownLatch goOn = new CountDownLatch(1);

        @Override
        public int read() {
            throw new AssertionError("it is read in blocks");
        }

        @Override
        public int read(byte[] to, int offset, int length) {
            asked.countDown();
            await().until(() -> goOn.getCount() == 0);
            return content.read(to, offset, length);
        }
    }

    @RepeatedTest(5)
    void whoeverGetsTheLockOfItFindsItRemoved() throws Exception {
        Path set = new PoolSets(dir).write("new.set", "8M @p0\n8M @p1\n8M @p2\n8M @p3\n");
        InputStream before = System.in;
        LateInput input = new LateInput();
        System.setIn(input);
        try {
            FutureTask<Run> load = new FutureTask<>(() -> Run.farheap("load", set));
            Thread unused = Thread.ofPlatform().daemon().start(load);
            assertThat(input.asked.await(30, TimeUnit.SECONDS)).isTrue();

            try (NativeFile part = NativeFile.open(dir.resolve("p3"))) {
                assertThat(part.tryLock()).isFalse();
                input.goOn.countDown();
                while (!part.tryLock()) {
                    Thread.onSpinWait();
                }
                assertThat(part.isAtItsPath()).as("it could be opened").isFalse();
            }

            load.get().failedWith(ExitCode.BAD_DATA, "standard input: line 1", "removed again");
        } finally {
            System.setIn(before);
        }
    }
}
