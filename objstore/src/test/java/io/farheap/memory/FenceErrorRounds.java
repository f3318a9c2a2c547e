package io.farheap.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.base.FarheapException;
import io.farheap.memory.MappedImage.Access;
import io.farheap.memory.MappedImage.Share;
import io.farheap.testing.inject.Injection;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Fences of several threads, of which one meets an error. To be loaded so that {@link Injection}
 * finds its places in them; every round ends, or says who waits for ever.
 */
public final class FenceErrorRounds implements AutoCloseable {
    private static final long PAGE = 4096;
    private static final int PAGES = 8;
    private static final int OTHERS = 3;
    private static final long MOST_SECONDS = 60;
    private static final Set<Thread.State> ASLEEP =
            Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING);

    private final NativeFile file;
    private final MappedImage image;

    /** What one round has: a first sync that is under way until it may end. */
    private static final class Round {
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch goesOn = new CountDownLatch(1);
        final AtomicInteger syncs = new AtomicInteger();

        /** At which place after the second sync the thread that made it meets the error. */
        final int after;

        Round(int after) {
            this.after = after;
        }

        long sync(long unusedAddress, long unusedLength) {
            int number = syncs.incrementAndGet();
            if (number == 1) {
                begun.countDown();
                awaitQuietly(goesOn);
            } else if (number == 2 && after > 0) {
                Injection.arm(after, StackOverflowError::new);
            }
            return 0;
        }
    }

    private record Fencing(Thread thread, CompletableFuture<Void> end) {
        /** Until it can't go on without others, or is over. */
        void awaitAsleep() {
            await().pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> end.isDone() || ASLEEP.contains(thread.getState()));
        }
    }

    public FenceErrorRounds(Path path) {
        file = NativeFile.create(path);
        file.allocate(PAGES * PAGE);
        image = MappedImage.map(List.of(new Share(file, 0, PAGES * PAGE)), Access.SHARED);
    }

    /** Who is to be woken once the first sync has ended, the one that came last, is ended then. */
    public void theOneThatIsWoken() {
        Round round = new Round(0);
        PageSyncing pages = new PageSyncing(image, 1, round::sync);
        List<Fencing> fences = startAll(pages, round, 0);
        fences.forEach(Fencing::awaitAsleep);

        Injection.arm(fences.getLast().thread(), 1, StackOverflowError::new);
        round.goesOn.countDown();

        assertThat(fences.stream().map(FenceErrorRounds::outcome).toList())
                .containsExactly("synced", "synced", "synced", "StackOverflowError");
        assertThat(outcome(start(pages, 5, 0))).isEqualTo("synced");
    }

    /** False where the fence of one that comes while others wait is over before. */
    public boolean theOneThatComes(int at) {
        Round round = new Round(0);
        PageSyncing pages = new PageSyncing(image, 1, round::sync);
        List<Fencing> fences = startAll(pages, round, at);
        round.goesOn.countDown();
        return requireEnds(pages, fences, "at " + at + " of a fence");
    }

    /** False where who synced for all who waited calls nothing more after it. */
    public boolean theOneThatSyncs(int at) {
        Round round = new Round(at);
        PageSyncing pages = new PageSyncing(image, 1, round::sync);
        List<Fencing> fences = startAll(pages, round, 0);
        fences.forEach(Fencing::awaitAsleep);
        round.goesOn.countDown();
        return requireEnds(pages, fences, "at " + at + " after a sync");
    }

    private boolean requireEnds(PageSyncing pages, List<Fencing> fences, String when) {
        List<String> outcomes = fences.stream().map(FenceErrorRounds::outcome).toList();
        boolean met = Injection.disarm() != null;
        assertThat(outcomes.stream().filter("StackOverflowError"::equals).count())
                .as("errors %s: %s", when, outcomes)
                .isLessThanOrEqualTo(met ? 1 : 0);
        assertThat(outcomes).as(when).isSubsetOf("synced", "StackOverflowError", "refused");
        assertThat(outcome(start(pages, 5, 0))).as("the next " + when).isIn("synced", "refused");
        return met;
    }

    /** The first is under way, and the others wait for it, the last one with an error. */
    private static List<Fencing> startAll(PageSyncing pages, Round round, int at) {
        List<Fencing> fences = new ArrayList<>(List.of(start(pages, 0, 0)));
        awaitQuietly(round.begun);
        for (int i = 1; i <= OTHERS; i++) {
            Fencing fence = start(pages, i, i == OTHERS ? at : 0);
            fences.add(fence);
            fence.awaitAsleep();
        }
        return fences;
    }

    private static Fencing start(PageSyncing pages, long page, int at) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        Thread thread =
                Thread.ofPlatform()
                        .daemon()
                        .start(
                                () -> {
                                    try {
                                        pages.flush(page * PAGE, 8);
                                        if (at > 0) {
                                            Injection.arm(at, StackOverflowError::new);
                                        }
                                        pages.fence();
                                        end.complete(null);
                                    } catch (Throwable e) {
                                        end.completeExceptionally(e);
                                    }
                                });
        return new Fencing(thread, end);
    }

    private static String outcome(Fencing fence) {
        try {
            fence.end().orTimeout(MOST_SECONDS, TimeUnit.SECONDS).join();
            return "synced";
        } catch (CompletionException e) {
            return e.getCause() instanceof FarheapException
                    ? "refused"
                    : e.getCause().getClass().getSimpleName();
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertThat(latch.await(MOST_SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        image.close();
        file.close();
    }
}
