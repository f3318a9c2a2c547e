package io.farheap.replication.fabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.base.FarheapException;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.fabric.Endpoint;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.TargetListener;
import io.farheap.replication.fabric.WaitStrategy;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Takes away the RDMA device that the property {@code rdma.device} names, under load. The kernel
 * waits with the removal until this process ends: nothing else can be tested in it afterwards.
 */
@Tag("rdma")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class VerbsRemovalTest {
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final byte[] SECRET = new byte[Fabric.SECRET_BYTES];

    private final MemorySegment memory = Arena.ofAuto().allocate(1 << 20, 64);

    @Test
    void bothEndsBreakAndSayWhy() throws Exception {
        Fabric fabric = VerbsFabrics.open(WaitStrategy.DEFAULT);
        TargetListener listener = fabric.listen(VerbsFabricTest.rdmaAddress(), 0, SECRET, memory);
        CompletableFuture<Endpoint> accepted =
                CompletableFuture.supplyAsync(() -> listener.accept(BOUND));
        Connection initiator =
                fabric.connect(
                        new InetSocketAddress(VerbsFabricTest.rdmaAddress(), listener.port()),
                        SECRET,
                        memory,
                        BOUND);
        Endpoint target = accepted.join();
        CompletableFuture<FarheapException> served =
                CompletableFuture.supplyAsync(() -> brokenBy(() -> answer(target)));
        int unused = ask(initiator);
        Process removal =
                new ProcessBuilder("rdma", "link", "delete", System.getProperty("rdma.device"))
                        .inheritIO()
                        .start();
        FarheapException here = brokenBy(() -> ask(initiator));
        assertThat(here)
                .hasMessageContaining("broke")
                .hasMessageContaining("the RDMA device was removed");
        assertThat(served.join()).hasMessageContaining("broke");
        initiator.close();
        target.close();
        removal.destroy();
    }

    private int ask(Connection initiator) {
        initiator.write(0, 4096, 4096);
        initiator.send(memory, 0, 64);
        initiator.post();
        return initiator.await((m, at, n) -> {}, BOUND.toNanos());
    }

    private int answer(Endpoint target) {
        int done = target.await((m, at, n) -> target.send(memory, 0, 64), BOUND.toNanos());
        target.post();
        return done;
    }

    private interface Step {
        int run();
    }

    private static FarheapException brokenBy(Step step) {
        try {
            while (step.run() > 0) {
                Thread.onSpinWait();
            }
            throw new AssertionError("neither an answer nor an end");
        } catch (FarheapException e) {
            return e;
        }
    }
}
