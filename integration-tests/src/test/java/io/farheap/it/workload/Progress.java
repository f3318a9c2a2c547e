package io.farheap.it.workload;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * How many operations each thread has been told of as done, in a file that is mapped by the program
 * that works and by the one that kills it: what was stored outlives the process.
 */
final class Progress {
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private final MemorySegment counts;

    Progress(Path file, int threads) throws IOException {
        try (FileChannel channel =
                FileChannel.open(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            counts =
                    channel.map(
                            FileChannel.MapMode.READ_WRITE,
                            0,
                            (long) threads * Long.BYTES,
                            Arena.ofAuto());
        }
    }

    long of(int thread) {
        return (long) LONG.getVolatile(counts, (long) thread * Long.BYTES);
    }

    void set(int thread, long operations) {
        LONG.setVolatile(counts, (long) thread * Long.BYTES, operations);
    }
}
