package io.farheap.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The inputs of a fuzz test. In the normal build each test takes its seeds, which the product's own
 * encoders wrote, and the committed inputs beside it, {@code <Class>Inputs/<method>}; the profile
 * {@code fuzz} starts from the same ones and searches for more.
 */
public final class Inputs {
    /** Longer inputs show nothing that a shorter one does not. */
    public static final int MAX_BYTES = 1 << 18;

    private static final int ATTEMPTS = 4;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Inputs() {}

    /** What is done with one input; fails the test with what it throws. */
    @FunctionalInterface
    public interface Target {
        void take(byte[] input) throws Exception;
    }

    /**
     * Gives the seeds and the committed inputs to a fuzz test, one after the other.
     *
     * @param test the class of the fuzz test
     * @param method its method
     */
    public static void replay(Class<?> test, String method, Stream<byte[]> seeds, Target target)
            throws Exception {
        List<byte[]> inputs = Stream.concat(seeds, committed(test, method)).toList();
        assertThat(inputs).as("seeds").isNotEmpty();
        again(target, new byte[0]);
        for (byte[] input : inputs) {
            try {
                again(target, input);
            } catch (Throwable e) {
                throw new AssertionError("input " + HexFormat.of().formatHex(input), e);
            }
        }
        System.out.println(test.getSimpleName() + ": " + inputs.size() + " inputs");
    }

    /** The seeds of a test that is tagged {@code sliced}: in the usual run one in four. */
    public static Stream<byte[]> sliced(Stream<byte[]> seeds) {
        if (Boolean.getBoolean("test.deep")) {
            return seeds;
        }
        List<byte[]> all = seeds.toList();
        return IntStream.range(0, all.size()).filter(i -> i % 4 == 0).mapToObj(all::get);
    }

    private static Stream<byte[]> committed(Class<?> test, String method) throws IOException {
        URL directory = test.getResource(test.getSimpleName() + "Inputs/" + method);
        if (directory == null) {
            return Stream.empty();
        }
        try (Stream<Path> files = Files.list(Path.of(directory.toURI()))) {
            return files.sorted().map(Inputs::read).toList().stream();
        } catch (URISyntaxException e) {
            throw new IOException(e);
        }
    }

    private static byte[] read(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Runs what may take so many seconds and allocate so many bytes of heap, in all threads
     * together: what is not allocated cannot fill the memory.
     */
    public static void bounded(long seconds, long bytes, Callable what) throws Exception {
        long begin = System.nanoTime();
        long allocated = THREADS.getTotalThreadAllocatedBytes();
        what.call();
        long used = THREADS.getTotalThreadAllocatedBytes() - allocated;
        long nanos = System.nanoTime() - begin;
        if (used > bytes || nanos > seconds * 1_000_000_000L) {
            throw new Exceeded(used + " bytes, " + nanos + " ns");
        }
    }

    /** Too much of something, which may have been somebody else's. */
    private static final class Exceeded extends AssertionError {
        private static final long serialVersionUID = 1L;

        Exceeded(String message) {
            super(message);
        }
    }

    /**
     * Gives one input to a fuzz test, again where that took too much: while a search begins,
     * classes are loaded and rewritten, which is nobody's finding.
     */
    public static void again(Target target, byte[] input) throws Exception {
        if (input.length > MAX_BYTES) {
            return;
        }
        for (int attempt = 1; attempt < ATTEMPTS; attempt++) {
            try {
                target.take(input);
                return;
            } catch (Exceeded e) {
                System.out.println("attempt " + attempt + ": " + e.getMessage());
            }
        }
        target.take(input);
    }

    /** Something that may throw anything. */
    @FunctionalInterface
    public interface Callable {
        void call() throws Exception;
    }
}
