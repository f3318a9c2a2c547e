package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.poolset.RemoteReplica;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FileReloadTest {
    private final List<List<RemoteReplica>> takenUp = new CopyOnWriteArrayList<>();
    private final CountDownLatch isRead = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private volatile List<RemoteReplica> file = List.of();

    private final FileReload reload = new FileReload(() -> file, this::takeUp);

    private void takeUp(List<RemoteReplica> named, boolean alone) {
        if (named.isEmpty()) {
            isRead.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        takenUp.add(named);
    }

    /** Else the pool has the replicas of a file that is no more. */
    @Test
    void whatIsReadLastIsTakenUpLast() throws InterruptedException {
        Thread first = Thread.ofPlatform().start(() -> reload.run(false));
        isRead.await();
        List<RemoteReplica> later = List.of(new RemoteReplica(null, "far", 0, "copy.set"));
        file = later;
        Thread second = Thread.ofPlatform().start(() -> reload.run(false));
        await().until(() -> !takenUp.isEmpty() || second.getState() == Thread.State.BLOCKED);
        goOn.countDown();
        first.join();
        second.join();
        assertThat(takenUp).containsExactly(List.of(), later);
    }
}
