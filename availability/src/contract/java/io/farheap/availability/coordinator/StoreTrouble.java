package io.farheap.availability.coordinator;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Random;

/** Servers of a store stop and die while clients go on, which they do after each. */
public final class StoreTrouble {
    /** A new leader takes a few seconds, more on a machine that is busy. */
    private static final Duration NEW_LEADER = Duration.ofSeconds(60);

    private final StoreProcesses servers;
    private final CoordinatorHistory history;

    public StoreTrouble(StoreProcesses servers, CoordinatorHistory history) {
        this.servers = servers;
        this.history = history;
    }

    /** A leader that stops and goes on, and the next one, which dies and comes back. */
    public void ofLeaders() throws Exception {
        awaitProgress();
        stop(servers.leader());
        awaitProgress();
        kill(servers.leader());
        awaitProgress();
    }

    /** So many times any server, or the leader; prints the seed. */
    public void ofAny(int rounds) throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int round = 0; round < rounds; round++) {
            awaitProgress();
            int server = random.nextBoolean() ? servers.leader() : random.nextInt(3);
            if (random.nextBoolean()) {
                stop(server);
            } else {
                kill(server);
            }
        }
    }

    private void stop(int server) throws Exception {
        servers.stop(server);
        awaitProgress();
        servers.goOn(server);
    }

    private void kill(int server) throws Exception {
        servers.kill(server);
        awaitProgress();
        servers.start(server);
    }

    private void awaitProgress() {
        int before = history.applied();
        await().atMost(NEW_LEADER).until(() -> history.applied() >= before + 20);
    }
}
