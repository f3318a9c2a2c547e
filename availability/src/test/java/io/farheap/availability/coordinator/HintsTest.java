package io.farheap.availability.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who watches is called again, whatever a call has thrown. */
@Timeout(30)
class HintsTest {
    private final AtomicInteger calls = new AtomicInteger();

    @Test
    void anErrorEndsNoWatch() {
        try (Hints hints =
                new Hints(
                        Duration.ofMillis(10),
                        () -> {
                            if (calls.incrementAndGet() < 3) {
                                throw new LinkageError("no memory for a class");
                            }
                        })) {
            await().until(() -> calls.get() > 3);
        }
    }

    /** Each hint would be a call, and each call another line in the log. */
    @Test
    void afterAFailureHintsWait() {
        try (Hints hints =
                new Hints(
                        Duration.ofDays(1),
                        () -> {
                            calls.incrementAndGet();
                            throw new IllegalStateException("again");
                        })) {
            await().until(() -> calls.get() == 1);
            long begin = System.nanoTime();
            await().pollInterval(Duration.ofMillis(1))
                    .until(
                            () -> {
                                hints.hint();
                                return calls.get() == 3;
                            });
            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .isGreaterThan(Duration.ofSeconds(1));
        }
    }
}
