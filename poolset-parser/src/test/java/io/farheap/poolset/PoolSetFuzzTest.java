package io.farheap.poolset;

import com.code_intelligence.jazzer.junit.FuzzTest;

/** Set JAZZER_FUZZ=1 to search for inputs; without it the empty input is a regression test. */
class PoolSetFuzzTest {
    @FuzzTest(maxDuration = "60s")
    void anyBytesGiveASetOrThatException(byte[] content) {
        PoolSetPropertyTest.parses(content, "fuzzed");
    }
}
