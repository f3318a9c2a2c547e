package io.farheap.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ArchitectureTest {
    @Test
    void machinesHaveTheirNumbersInElf() {
        assertThat(Architecture.machine("amd64")).isEqualTo((byte) 62);
        assertThat(Architecture.machine("x86_64")).isEqualTo((byte) 62);
        assertThat(Architecture.machine("aarch64")).isEqualTo((byte) 183);
    }

    @ParameterizedTest
    @ValueSource(strings = {"riscv64", "ppc64le", "s390x", "loongarch64"})
    void noHeaderSaysOfAnotherMachineThatItIsOneOfThese(String name) {
        assertThatThrownBy(() -> Architecture.machine(name))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining(name);
    }
}
