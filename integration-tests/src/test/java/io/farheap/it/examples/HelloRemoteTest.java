package io.farheap.it.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.it.support.Machines;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The hello program, run after run, as processes of its own with a real agent. */
@Tag("deep")
@Timeout(120)
class HelloRemoteTest {
    private static final int TEXT = 4096 + 4;

    @Test
    void theFirstRunCreatesAndTheSecondReadsRemotelyAndAnswersInTheOtherLanguage()
            throws Exception {
        try (Machines machines = Machines.with("there")) {
            machines.configure("there", "journal-size = 1M", "heartbeat-bound = 60000");
            machines.set("FARHEAP_HEARTBEAT", "10s"); // who is slow is not taken for dead
            machines.poolSet("there", "hello.set", "8M");
            Path part = machines.machine("there").resolve("hello.part0");

            assertThat(run(machines)).isEqualTo("Hello world!\n");
            assertThat(textIn(part)).isEqualTo("Hello world!");

            assertThat(run(machines)).isEqualTo("¡Hola Mundo!\n");
            assertThat(textIn(part)).isEqualTo("¡Hola Mundo!");

            assertThat(run(machines)).isEqualTo("Hello world!\n");
        }
    }

    private static String run(Machines machines) throws Exception {
        Process hello = machines.java(HelloRemote.class, "there", "hello.set").start();
        String said = new String(hello.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(hello.waitFor()).isZero();
        return said;
    }

    /** The text in the target's pool file. */
    private static String textIn(Path part) throws IOException {
        byte[] bytes = new byte[64];
        try (RandomAccessFile file = new RandomAccessFile(part.toFile(), "r")) {
            file.seek(TEXT);
            file.readFully(bytes);
        }
        int end = 0;
        while (bytes[end] != 0) {
            end++;
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8);
    }
}
