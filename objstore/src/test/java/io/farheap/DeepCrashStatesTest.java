package io.farheap;

import io.farheap.CrashEnumeration.Effort;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;

/** As {@link CrashStatesTest}, with more of the states at each point, and more recoveries cut. */
@Tag("deep")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DeepCrashStatesTest extends CrashStatesTest {
    @Override
    Effort effort() {
        return new Effort(256, 8, 1, 16);
    }

    @Override
    int leastStates() {
        return 50_000;
    }
}
