package io.farheap.poolset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code /dev/null} and {@code /dev/zero} (devices 1:3, 1:5) play Device DAX in a made-up sysfs.
 */
class DeviceDaxTest {
    @TempDir Path sysfs;

    @BeforeEach
    void twoDevices() throws IOException {
        device("1:3", "2097152", "4096");
        device("1:5", "16777216", "4096");
    }

    private void device(String number, String size, String align) throws IOException {
        Path device = Files.createDirectories(sysfs.resolve("char").resolve(number));
        Files.createDirectories(sysfs.resolve("bus/dax"));
        Files.deleteIfExists(device.resolve("subsystem"));
        Files.createSymbolicLink(device.resolve("subsystem"), sysfs.resolve("bus/dax"));
        Files.writeString(device.resolve("size"), size + "\n");
        Files.writeString(device.resolve("align"), align + "\n");
    }

    @Test
    void olderKernelsHaveTheAlignmentInTheDevicesParent() throws IOException {
        Path device = sysfs.resolve("char/1:5");
        Files.delete(device.resolve("align"));
        Files.createDirectories(device.resolve("device"));
        Files.writeString(device.resolve("device/align"), "2097152\n");

        assertProblem(
                "PMEMPOOLSET\nAUTO /dev/null\nAUTO /dev/zero\n",
                "a.set:3:1: Multiple DAX devices with alignment other than 4KB.");
    }

    @Test
    void autoTakesTheSizeOfTheDevice() {
        PoolSet set = parse("PMEMPOOLSET\nAUTO /dev/null\nAUTO /dev/zero\n");

        assertThat(set.master().parts())
                .containsExactly(
                        new Part(Path.of("/dev/null"), 2 << 20, true, Part.Kind.DEVICE_DAX),
                        new Part(Path.of("/dev/zero"), 16 << 20, true, Part.Kind.DEVICE_DAX));
        assertThat(set.toString()).contains("AUTO /dev/null\n");
    }

    @Test
    void aReplicaIsAllDevicesOrNone() {
        assertProblem(
                "PMEMPOOLSET\nAUTO /dev/null\n8M /none/a\n",
                "a.set:3:4: either all the parts must be Device DAX or none");
        parse("PMEMPOOLSET\nAUTO /dev/null\nREPLICA\n8M /none/a\n");
    }

    @Test
    void aCoarseAlignmentNeedsOneHeader() throws IOException {
        device("1:5", "16777216", "2097152");
        String text = "PMEMPOOLSET\nAUTO /dev/null\nAUTO /dev/zero\n";

        assertProblem(text, "a.set:3:1: Multiple DAX devices with alignment other than 4KB.");
        parse(text + "OPTION SINGLEHDR\n");
        parse("PMEMPOOLSET\nAUTO /dev/zero\n");
    }

    @Test
    void aDeviceThatTellsNoSizeIsRefused() throws IOException {
        Files.writeString(sysfs.resolve("char/1:3/size"), "big\n");
        assertProblem("PMEMPOOLSET\nAUTO /dev/null\n", "a.set:2:6: cannot examine /dev/null");
        Files.writeString(sysfs.resolve("char/1:3/size"), "0\n");
        assertProblem(
                "PMEMPOOLSET\nAUTO /dev/null\n", "a.set:2:1: cannot determine size of a part");
    }

    private void assertProblem(String text, String message) {
        assertThatThrownBy(() -> parse(text))
                .isInstanceOf(PoolSetSyntaxException.class)
                .hasMessageStartingWith(message);
    }

    private PoolSet parse(String text) {
        PartProbe probe = new PartProbe(sysfs.resolve("char"));
        return PoolSetParser.parse("a.set", text.getBytes(StandardCharsets.UTF_8), probe);
    }
}
