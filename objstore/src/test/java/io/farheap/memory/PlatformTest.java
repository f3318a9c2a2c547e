package io.farheap.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.nio.ByteOrder;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class PlatformTest {
    static Stream<Arguments> numbers() {
        // asm/fcntl.h of linux-libc-dev 6.12 (amd64: asm-generic/fcntl.h; arm64: its own), octal
        return Stream.of(
                arguments(Platform.X86_64, "00200000", "00400000"),
                arguments(Platform.AARCH64, "040000", "0100000"));
    }

    @ParameterizedTest
    @MethodSource("numbers")
    void flagsAreThoseOfTheKernelsHeaders(Platform platform, String directory, String noFollow) {
        assertThat(platform.directoryFlag()).isEqualTo(Integer.parseInt(directory, 8));
        assertThat(platform.noFollowFlag()).isEqualTo(Integer.parseInt(noFollow, 8));
    }

    @ParameterizedTest
    @CsvSource({"Linux,amd64,X86_64", "Linux,x86_64,X86_64", "Linux,aarch64,AARCH64"})
    void machinesAreFoundByTheNamesThatJavaHasForThem(String system, String machine, Platform is) {
        assertThat(Platform.find(system, machine, ByteOrder.LITTLE_ENDIAN)).hasValue(is);
    }

    @ParameterizedTest
    @CsvSource({
        "Linux,riscv64",
        "Linux,ppc64le",
        "Linux,arm",
        "Mac OS X,aarch64",
        "Windows 11,amd64"
    })
    void othersAreNamed(String system, String machine) {
        assertThat(Platform.find(system, machine, ByteOrder.LITTLE_ENDIAN)).isEmpty();
        assertThat(Platform.unsupported(system, machine))
                .hasMessageContaining("this is " + system + " on " + machine);
    }

    @Test
    void bigEndianMachinesAreOthers() {
        assertThat(Platform.find("Linux", "aarch64", ByteOrder.BIG_ENDIAN)).isEmpty();
    }
}
