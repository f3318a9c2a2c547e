package io.farheap.poolset;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RemoteReplicaTest {
    @Test
    void printsItselfAsInThePoolsetFile() {
        assertThat(new RemoteReplica("ada", "fe80::1", 22, "bank.set"))
                .hasToString("ada@[fe80::1]:22 bank.set");
        assertThat(new RemoteReplica(null, "far", 0, "a/bank.set")).hasToString("far a/bank.set");
    }
}
