package io.farheap.tools;

import io.farheap.heap.HeapWalk;
import io.farheap.layout.Descriptor;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolSource;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code farheap info}. */
@Command(
        name = "info",
        description = {
            "Prints what a pool is made of.",
            "",
            "Nothing is written and no recovery is done: after a crash it shows the pool as the crash"
                    + " left it. The pool is locked meanwhile."
        },
        mixinStandardHelpOptions = true)
final class InfoCommand implements Callable<Integer> {
    @Option(
            names = {"-s", "--stats"},
            description = "also statistics of the heap: objects by type, blocks, runs")
    private boolean statistics;

    @Option(
            names = {"-O", "--objects"},
            description = "also one line per object: offset, type number, usable size")
    private boolean objects;

    @Parameters(paramLabel = "FILE", description = "a poolset file or a pool file")
    private Path file;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        PoolSource source = PoolSource.of(file);
        Report report = new Report(spec.commandLine().getOut());
        try (PoolFiles files = PoolFiles.openPrivate(source, null)) {
            PoolInfo.print(report, source, files);
            if (statistics || objects) {
                heap(report, files);
            }
        }
        return ExitCode.OK;
    }

    private void heap(Report report, PoolFiles files) {
        Descriptor descriptor = new Descriptor(files.memory());
        HeapStatistics heap = new HeapStatistics(objects ? report : null);
        HeapWalk.walk(files.memory().image(), descriptor.heapOffset(), descriptor.heapSize(), heap);
        if (statistics) {
            heap.print(report);
        }
    }
}
