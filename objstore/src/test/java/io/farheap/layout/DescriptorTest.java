package io.farheap.layout;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.testing.CrashSimulation;
import io.farheap.testing.CrashSimulation.Loss;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DescriptorTest {
    private final CrashSimulation machine = new CrashSimulation(5 << 20);
    private final Descriptor descriptor = new Descriptor(machine.memory());

    private Descriptor afterPowerLoss() {
        return new Descriptor(machine.crash(Loss.ALL, new Random(1)).memory());
    }

    /** A next run with the same number would find the locks of this one held. */
    @Test
    void theRunIdIsDurableOnReturn() {
        descriptor.switchRunId(6);
        assertThat(afterPowerLoss().runId()).isEqualTo(6);
    }

    @Test
    void theHeapSizeIsDurableOnReturn() {
        descriptor.format("test");
        descriptor.setHeapSize(1 << 20);
        assertThat(afterPowerLoss()).returns(1L << 20, Descriptor::heapSize);
    }

    /** All but the checksum is there before anything else is written; the rest may follow. */
    @Test
    void theChecksummedHalfIsDurableOnReturn() {
        descriptor.format("test");
        assertThat(afterPowerLoss())
                .returns("test", Descriptor::layout)
                .returns(Descriptor.DEFAULT_LANE_COUNT, Descriptor::laneCount);
        assertThat(machine.fences()).isEqualTo(1);
    }
}
