package io.farheap.memory;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.testing.LinuxCalls;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlatformTest {
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

    @Test
    void bigEndianMachinesAreRefusedByName() {
        assertThatThrownBy(() -> Platform.requireLittleEndian("s390x", ByteOrder.BIG_ENDIAN))
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(Category.ENVIRONMENT))
                .hasMessage(
                        "s390x is a big-endian machine, and pools are little-endian, on the medium"
                                + " and in memory: open the pool on x86_64 or aarch64");
        Platform.requireLittleEndian("aarch64", ByteOrder.LITTLE_ENDIAN);
    }

    @Test
    void aKernelWithLargerPagesIsRefused() {
        assertThatThrownBy(() -> Platform.requirePages(65536))
                .hasMessageContaining("this kernel has pages of 65536 bytes")
                .hasMessageContaining("FARHEAP_PORTABLE=yes");
        Platform.requirePages(4096);
        assertThat(Platform.AARCH64.hasAlwaysSmallPages()).isFalse();
    }

    @Test
    @LinuxCalls("asks no C library for the size of pages")
    void theSizeOfPagesIsTheKernels() throws Exception {
        Process getconf = new ProcessBuilder("getconf", "PAGESIZE").start();
        String said = new String(getconf.getInputStream().readAllBytes(), US_ASCII).strip();
        assertThat(getconf.waitFor()).isZero();
        assertThat(LibC.pageSize()).isEqualTo(Long.parseLong(said));
    }
}
