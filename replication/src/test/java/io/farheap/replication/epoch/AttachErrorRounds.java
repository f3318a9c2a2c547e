package io.farheap.replication.epoch;

import static org.awaitility.Awaitility.await;

import io.farheap.base.ReplicaPolicy;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.spi.ReplicaSink;
import io.farheap.testing.inject.Injection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** What {@link AttachErrorsTest} does, in classes that meet errors. */
public final class AttachErrorRounds implements Callable<List<Object>> {
    private static final List<Supplier<Throwable>> ERRORS =
            List.of(StackOverflowError::new, OutOfMemoryError::new, () -> new Error("injected"));
    private static final String STEPS = "farheap-replica-";

    /** A busy machine needs it, and the bounds of attaches and of silent agents are in it. */
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    /** Who waits for an answer that never comes is seen: no bound of its own ends that before. */
    private static final ReplicationSettings SETTINGS =
            ReplicationSettings.from(
                    Map.of(
                            "FARHEAP_ATTACH_TIMEOUT", "10s",
                            "FARHEAP_COMMIT_TIMEOUT", "20s",
                            "FARHEAP_HEARTBEAT", "1s",
                            "FARHEAP_WORK_TIMEOUT", "10m",
                            "FARHEAP_RETRY_PAUSE", "500ms",
                            "FARHEAP_FABRIC", "tcp"));

    /** Rounds of one pool, whose lost connections keep their memory. */
    private static final int ROUNDS = 50;

    private final Path directory;
    private final int first;
    private final int stride;
    private final ReplicaPolicy policy;
    private final List<String> wrong = new ArrayList<>();
    private DegradingPool site;
    private Set<Thread> before;
    private int sites;

    public AttachErrorRounds(Path directory, int first, int stride, String policy) {
        this.directory = directory;
        this.first = first;
        this.stride = stride;
        this.policy = ReplicaPolicy.valueOf(policy);
    }

    /** How many errors were injected, and what was wrong. */
    @Override
    public List<Object> call() throws Exception {
        int injected = 0;
        String place = "";
        for (int at = first; place != null; at += stride) {
            if (injected % ROUNDS == 0 || !wrong.isEmpty()) {
                anew();
            }
            place = round(at, ERRORS.get(injected % ERRORS.size()));
            injected += place == null ? 0 : 1;
        }
        site.close();
        return List.of(injected, wrong);
    }

    private void anew() throws IOException {
        if (site != null) {
            site.close();
        }
        site =
                new DegradingPool(
                        Files.createDirectory(directory.resolve("site" + sites++)), policy);
        site.commit(DegradingPool.PLACE, 1);
        site.sink.close();
        site.settings = SETTINGS;
        before = threads();
    }

    /** Where the error was thrown; null: an attach has no such place. */
    private String round(int at, Supplier<Throwable> error) {
        String place = "";
        try {
            site.sink = null;
            place = attached(at, error);
            if (site.sink == null) {
                attachAgain();
            }
            site.commit(DegradingPool.PLACE, at + 1);
            await().atMost(PATIENCE).until(() -> site.state(0) == State.ATTACHED);
            within("close", site.sink::close);
            site.sink = null;
            site.assertSame(0);
            await().atMost(PATIENCE).until(() -> before.containsAll(threads()));
        } catch (Exception | AssertionError e) {
            wrong.add("place " + at + ", " + place + ": " + e);
        }
        return place;
    }

    private String attached(int at, Supplier<Throwable> error) throws Exception {
        CompletableFuture<Throwable> ended = new CompletableFuture<>();
        ReplicaSink[] sink = {null};
        within(
                "attach",
                () -> {
                    Thread attaching = Thread.currentThread();
                    Injection.arm(
                            thread -> thread == attaching || thread.getName().startsWith(STEPS),
                            at,
                            error);
                    try {
                        sink[0] = site.attach();
                        ended.complete(null);
                    } catch (Throwable thrown) { // whatever was injected
                        ended.complete(thrown);
                    }
                });
        String place = Injection.disarm();
        site.sink = sink[0];
        if (place == null && ended.get() != null) {
            throw new AssertionError("failed by itself", ended.get());
        }
        return place;
    }

    /** An agent that was left may be about to end: it has the replica until then. */
    private void attachAgain() {
        await().atMost(PATIENCE)
                .ignoreException(ExecutionException.class)
                .until(
                        () -> {
                            within("attach again", () -> site.sink = site.attach());
                            return true;
                        });
    }

    private static void within(String what, Runnable action) throws Exception {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread.ofPlatform()
                .daemon()
                .name(what)
                .start(
                        () -> {
                            try {
                                action.run();
                                done.complete(null);
                            } catch (RuntimeException | Error e) {
                                done.completeExceptionally(e);
                            }
                        });
        done.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private static Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("farheap"))
                .collect(Collectors.toSet());
    }
}
