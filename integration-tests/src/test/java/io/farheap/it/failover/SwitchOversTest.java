package io.farheap.it.failover;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.availability.FailOverControl;
import io.farheap.availability.HighAvailability;
import io.farheap.base.FarheapException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three nodes under load, and a switch-over to the next one every five seconds, for {@code
 * -Dswitchovers.minutes=3}: every number that was acknowledged is there once, in order, in all
 * copies, and no two nodes acknowledge at a time.
 */
@Tag("long")
@Timeout(3600)
class SwitchOversTest {
    private static final Duration EVERY = Duration.ofSeconds(5);
    private static final Duration BOUND = Duration.ofSeconds(20);
    private static final List<String> NODES = Nodes.NAMES;

    @TempDir private Path directory;

    @Test
    void theWriterChangesEveryFiveSeconds() throws Exception {
        int minutes = Integer.getInteger("switchovers.minutes", 3);
        try (TurnNodes nodes = new TurnNodes(directory, 2)) {
            nodes.begin();
            List<Long> orders = new ArrayList<>();
            int refused = 0;
            long begun = System.nanoTime();
            long first = nodes.acknowledged.last().term();
            while (System.nanoTime() - begun < Duration.ofMinutes(minutes).toNanos()) {
                long at = System.nanoTime();
                orders.add(at);
                refused += order(nodes) ? 0 : 1;
                pauseUntil(at + EVERY.toNanos());
            }
            nodes.awaitMore(20);
            Acknowledgements.One last = nodes.acknowledged.last();
            List<Long> gaps = gaps(nodes.acknowledged.all(), orders);
            System.out.printf(
                    "%d switch-overs ordered in %d min, %d of them not done; terms %d to %d, %d"
                            + " commits; ms without commits p50 %d, max %d%n",
                    gaps.size(),
                    minutes,
                    refused,
                    first,
                    last.term(),
                    nodes.acknowledged.count(),
                    gaps.get(gaps.size() / 2),
                    gaps.get(gaps.size() - 1));
            assertThat(last.term() - first)
                    .as("turns, most of those that were ordered")
                    .isGreaterThan(gaps.size() / 2);
            assertThat(NODES).noneMatch(node -> nodes.program(node).isGone());
            nodes.judgeCopies(NODES.size());
        }
    }

    /**
     * In milliseconds, behind each order and before the next: the longest one that begins there.
     */
    private static List<Long> gaps(List<Acknowledgements.One> all, List<Long> orders) {
        List<Long> returned = all.stream().map(Acknowledgements.One::returned).sorted().toList();
        TreeMap<Long, Long> longest = new TreeMap<>();
        orders.forEach(at -> longest.put(at, 0L));
        for (int i = 1; i < returned.size(); i++) {
            long gap = (returned.get(i) - returned.get(i - 1)) / 1_000_000;
            Long order = longest.floorKey(returned.get(i - 1));
            if (order != null) {
                longest.merge(order, gap, Math::max);
            }
        }
        return longest.values().stream().sorted().toList();
    }

    /** False: it did not come about, and why is printed. */
    private static boolean order(TurnNodes nodes) throws InterruptedException {
        String writer = nodes.acknowledged.last().node();
        String to = NODES.get((NODES.indexOf(writer) + 1) % NODES.size());
        try (FailOverControl control =
                HighAvailability.of(nodes.servers.address(), "numbers").control()) {
            control.switchOver(to, BOUND);
            return true;
        } catch (FarheapException e) {
            System.out.println("switch-over from " + writer + " to " + to + ": " + e.getMessage());
            return false;
        }
    }

    private static void pauseUntil(long nanos) {
        for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
