package io.farheap.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.tools.demo.LocalMachine;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The side-by-side program still runs and gives its figures; what they are is not looked at. */
@Tag("deep")
class BenchmarksTest {

    private static final String FIGURES = " +p50 +[0-9.]+ µs +p99 +[0-9.]+ µs";

    private static String run(String... parts) throws Exception {
        List<String> command =
                new ArrayList<>(LocalMachine.java(Benchmarks.class.getName(), "--quick"));
        command.addAll(List.of(parts));
        Process run = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(run.waitFor()).as(output).isZero();
        return output;
    }

    @Test
    @Timeout(value = 4, unit = TimeUnit.MINUTES)
    void commitsGiveTheirFigures() throws Exception {
        assertThat(run("replicated", "local", "alone", "threads", "garbage"))
                .containsPattern("raw 64 B ping-pong" + FIGURES)
                .containsPattern("64 B transaction, one replica" + FIGURES)
                .containsPattern("ratio +p50 +[0-9.]+ +p99 +[0-9.]+")
                .containsPattern("turns: .* p50 [0-9.]+, [0-9.]+ to [0-9.]+ +p99 [0-9.]+, ")
                .containsPattern("64 B transaction" + FIGURES)
                .containsPattern("64 B transaction, replica away" + FIGURES)
                .containsPattern("8 threads: +[0-9,]+ commits/s.*records per doorbell [1-9]")
                .containsPattern("0 replicas: [0-9.]+ bytes of garbage per commit")
                .containsPattern("1 replicas: [0-9.]+ bytes of garbage per commit")
                .contains("waiting: spin 20 µs, yield 200 µs, block", "load average");
    }

    @Test
    @Timeout(value = 4, unit = TimeUnit.MINUTES)
    void operationsAndTheMapGiveTheirFigures() throws Exception {
        assertThat(run("reads", "operations", "map"))
                .containsPattern("a long of one object: raw API +[0-9.]+ ns")
                .containsPattern("transaction, 4 KiB snapshot in place, 2 threads" + FIGURES)
                .containsPattern("allocate [+] free 128 B, 2 threads, local replica" + FIGURES)
                .containsPattern("update of 500 entries, 2 threads, local replica" + FIGURES)
                .containsPattern("get of 500 entries, 1 thread" + FIGURES);
    }

    @Test
    @Timeout(value = 8, unit = TimeUnit.MINUTES)
    void typedObjectsGiveTheirFiguresAndRatios() throws Exception {
        String ratio = " +[0-9.]+ of ";
        assertThat(run("objects"))
                .containsPattern("getter in a read of many" + ratio + "raw API; aim 0.50")
                .containsPattern("getter by itself" + ratio + "raw API; aim 1.00")
                .containsPattern("transaction of 4 setters" + ratio + "raw API; aim 1.30")
                .containsPattern("getter by itself: garbage +[0-9.]+ B typed, [0-9.]+ B raw")
                .containsPattern("2 threads on disjoint keys do [0-9.]+ of 1; plain arithmetic")
                .containsPattern(
                        "a writer beside a read of all keeps [0-9.]+ of its rate; aim 0.80")
                .containsPattern(
                        "reclaim of 2,000 objects: [0-9.]+ s; a writer keeps [0-9.]+ of its")
                .containsPattern("aim 0.80; 200 freed")
                .containsPattern("open" + ratio + ".*; aim 1.10")
                .containsPattern("sorted map, scan" + ratio + "LMDB, sync; aim 1.00")
                .containsPattern("map, get" + ratio + "libpmemobj in C; aim 1.00")
                .containsPattern("map, update" + ratio + "map on the raw API; aim 1.30")
                .containsPattern("map, put" + ratio + "RocksDB, sync; aim 1.00")
                .containsPattern("map, remove" + ratio + "LMDB, sync; aim 1.00")
                .containsPattern("[0-9.]+ bytes of garbage per put, [0-9.]+ per get, of longs");
    }

    @Test
    @Timeout(value = 4, unit = TimeUnit.MINUTES)
    void largeCommitsAndRecoveryGiveTheirFigures() throws Exception {
        assertThat(run("large", "recovery"))
                .containsPattern("raw, as fast as it goes +[0-9]+ MB/s +[0-9]+ to +[0-9]+")
                .containsPattern("1 MiB transactions, one replica +[0-9]+ MB/s")
                .containsPattern("ratio +[0-9.]+ of the raw stream, [0-9.]+ of the answered one")
                .containsPattern("snapshots of 4 KiB +[0-9.]+ ms +[0-9.]+ to +[0-9.]+")
                .containsPattern("the same by libpmemobj, in C +[0-9.]+ ms")
                .containsPattern("ratio +[0-9.]+\\R");
    }

    @Test
    @Timeout(value = 4, unit = TimeUnit.MINUTES)
    void anAgedHeapGivesItsFigures() throws Exception {
        assertThat(run("age"))
                .containsPattern("Farheap +live +[0-9.]+ %, refused +[0-9,]+, fits")
                .containsPattern("libpmemobj +live +[0-9.]+ %, refused +[0-9,]+, fits");
    }

    @Test
    @Timeout(value = 4, unit = TimeUnit.MINUTES)
    void commitsOnADiskGiveTheirFigures() throws Exception {
        assertThat(run("disk", "disk-load"))
                .containsPattern("16 threads: Farheap, disk journal +[0-9,]+ commits/s")
                .containsPattern("1 threads: RocksDB.* syncs")
                .containsPattern("2 threads: LMDB")
                .containsPattern("4 threads: H2 MVStore")
                .containsPattern("8 threads: append and sync")
                .containsPattern("checkpoints of [0-9,]+ pages")
                .contains("all that was acknowledged is there");
    }
}
