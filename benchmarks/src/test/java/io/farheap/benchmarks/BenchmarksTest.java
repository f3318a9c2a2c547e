package io.farheap.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.tools.LocalMachine;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The side-by-side program still runs and gives its figures; what they are is not looked at. */
class BenchmarksTest {

    @Test
    @Timeout(value = 2, unit = TimeUnit.MINUTES)
    void everyPartGivesItsFigures() throws Exception {
        Process run =
                new ProcessBuilder(LocalMachine.java(Benchmarks.class.getName(), "--quick"))
                        .redirectErrorStream(true)
                        .start();
        String output = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(run.waitFor()).as(output).isZero();
        String figures = " +p50 +[0-9.]+ µs +p99 +[0-9.]+ µs";
        assertThat(output)
                .containsPattern("raw 64 B ping-pong" + figures)
                .containsPattern("64 B transaction, one replica" + figures)
                .containsPattern("ratio +p50 +[0-9.]+ +p99 +[0-9.]+")
                .containsPattern("64 B transaction" + figures)
                .containsPattern("8 threads: +[0-9,]+ commits/s.*records per doorbell [1-9]")
                .containsPattern("0 replicas: [0-9.]+ bytes of garbage per commit")
                .containsPattern("1 replicas: [0-9.]+ bytes of garbage per commit")
                .contains("waiting: spin 20 µs, yield 200 µs, block", "load average");
    }
}
