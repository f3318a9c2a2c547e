package io.farheap.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.LongConsumer;

/** {@code map.c} as a process that takes its turns. */
final class NativeMap implements KeyedSide {
    private final Process process;
    private final Writer orders;
    private final BufferedReader answers;

    NativeMap(NativeProgram program, Path pool, int entries) throws IOException {
        process = program.start(pool, "turns", entries);
        orders = process.outputWriter(StandardCharsets.US_ASCII);
        answers = process.inputReader(StandardCharsets.US_ASCII);
    }

    @Override
    public void take(KeyedTurn turn, LongConsumer nanosOfBatch) {
        try {
            orders.write(turn.order());
            orders.flush();
            for (int batch = 0; batch < turn.batches(); batch++) {
                String answer = answers.readLine();
                if (answer == null) {
                    throw new IllegalStateException("map.c ended");
                }
                nanosOfBatch.accept(Long.parseLong(answer));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void put(long key, byte[] value) {
        throw alone();
    }

    @Override
    public boolean hasValue(long key, byte first) {
        throw alone();
    }

    @Override
    public boolean remove(long key) {
        throw alone();
    }

    private static UnsupportedOperationException alone() {
        return new UnsupportedOperationException("it takes many at a time");
    }

    @Override
    public void close() {
        try {
            orders.close();
            if (process.waitFor() != 0) {
                throw new IllegalStateException("map.c ended with " + process.exitValue());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while map.c ended", e);
        }
    }
}
