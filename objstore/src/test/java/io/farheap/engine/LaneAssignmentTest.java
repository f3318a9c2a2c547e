package io.farheap.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Lanes that are claimed in vain. */
class LaneAssignmentTest {
    @Test
    void aLaneWhoseLogsAreDamagedIsGivenBack() {
        LaneAssignment claims =
                new LaneAssignment(
                        4,
                        lane -> {
                            throw new FarheapException(Category.BAD_DATA, "damaged");
                        },
                        new TxSettings(Duration.ofMillis(100), Duration.ofMillis(100), 4),
                        new PoolLife(null));
        assertThatThrownBy(claims::join).hasMessage("damaged");
        assertThatThrownBy(claims::claimAnother).hasMessage("damaged");
        AtomicBoolean closed = new AtomicBoolean();

        claims.close(() -> {}, () -> closed.set(true));

        assertThat(closed).isTrue();
    }
}
