package io.farheap.replication.stream;

import io.farheap.replication.fabric.DurabilityMethod;

/** The same for members whose journal is read, not asked. */
class ResendOverApmTest extends ResendTest {
    @Override
    DurabilityMethod method() {
        return DurabilityMethod.APM;
    }
}
