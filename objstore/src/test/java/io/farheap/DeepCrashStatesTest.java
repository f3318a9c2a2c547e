package io.farheap;

import io.farheap.CrashEnumeration.Effort;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;

/** As {@link CrashStatesTest}, with more of the states at each point, and more recoveries cut. */
@Tag("deep")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DeepCrashStatesTest extends CrashStatesTest {
    DeepCrashStatesTest() {
        super(new Effort(256, 8, 1, 16), 50_000);
    }
}
