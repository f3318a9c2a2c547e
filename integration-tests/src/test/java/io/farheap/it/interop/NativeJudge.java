package io.farheap.it.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/**
 * libpmemobj and pmempool as Debian ships them, asked through {@code judge.c} and the command line.
 *
 * <p>Where they are not installed the tests that need them are skipped; with {@code CI} set in the
 * environment that is a failure instead.
 */
public final class NativeJudge {
    private static final Path SOURCES = Path.of("src/test/native");
    private static final Map<String, Path> PROGRAMS = new HashMap<>();

    /** What one native command said. */
    public record Answer(int exitCode, String out, String err) {}

    /** How {@code judge halt} ends when the library was stopped on its way. */
    private static final int HALTED = 7;

    private NativeJudge() {}

    /** Skips the calling test, or fails it in CI, unless the native library and tools are here. */
    public static void require() {
        String missing = whatIsMissing();
        if (System.getenv("CI") != null) {
            assertThat(missing).as("CI must have the native judge").isNull();
        }
        Assumptions.assumeTrue(missing == null, missing);
    }

    public static void assertConsistent(Path pool) {
        assertThat(judge("check", pool.toString()))
                .as("pmemobj_check(%s)", pool)
                .returns(0, Answer::exitCode);
        assertThat(run("pmempool", "check", "-v", pool.toString()))
                .as("pmempool check %s", pool)
                .returns(0, Answer::exitCode);
    }

    /** Everything {@code judge list} says of a pool, which opening recovers. */
    static Listing list(Path pool) {
        Answer answer = judge("list", pool.toString());
        assertThat(answer).as("judge list %s", pool).returns(0, Answer::exitCode);
        long rootOffset = 0;
        long rootSize = 0;
        int rootCrc = 0;
        List<Listing.Item> objects = new ArrayList<>();
        for (String line : answer.out().lines().toList()) {
            String[] word = line.split(" ", -1);
            if (word[0].equals("root")) {
                rootOffset = Long.parseLong(word[1]);
                rootSize = Long.parseLong(word[2]);
                rootCrc = Integer.parseUnsignedInt(word[3], 16);
            } else {
                objects.add(
                        new Listing.Item(
                                Long.parseLong(word[1]),
                                Long.parseLong(word[2]),
                                Long.parseLong(word[3]),
                                Integer.parseUnsignedInt(word[4], 16)));
            }
        }
        return new Listing(rootOffset, rootSize, rootCrc, objects);
    }

    /** Random committed transactions by the C program. */
    static void work(Path pool, long seed, int steps) {
        change("work", pool, seed, steps);
    }

    /** The same, and an exit inside an open transaction: leaves a valid undo log. */
    static void die(Path pool, long seed, int steps) {
        change("die", pool, seed, steps);
    }

    /**
     * Random transactions, stopped dead after so many stores, flushes and drains of the library.
     *
     * @return whether it was; false when the work was done before
     */
    static boolean halt(Path pool, long seed, int steps, int count) {
        return isHalted("halt", pool, seed, steps, count);
    }

    /** A new pool made by the library. */
    static void create(Path pool, int mebibytes) {
        Answer answer = judge("create", pool.toString(), Integer.toString(mebibytes));
        assertThat(answer).as("judge create %s", pool).returns(0, Answer::exitCode);
    }

    /** List operations, stopped dead as {@link #halt} does; count 0: not stopped. */
    static boolean link(Path pool, long seed, int steps, int count) {
        return isHalted("link", pool, seed, steps, count);
    }

    private static boolean isHalted(String command, Path pool, long seed, int steps, int count) {
        Answer answer =
                judge(
                        command,
                        pool.toString(),
                        Long.toUnsignedString(seed),
                        Integer.toString(steps),
                        Integer.toString(count));
        assertThat(answer.exitCode())
                .as("judge %s %s %d %d %d: %s", command, pool, seed, steps, count, answer)
                .isIn(0, HALTED);
        return answer.exitCode() == HALTED;
    }

    /** What the lists hold as the library's own iteration shows them. */
    static Links lists(Path pool) {
        Answer answer = judge("lists", pool.toString());
        assertThat(answer).as("judge lists %s", pool).returns(0, Answer::exitCode);
        return Links.parse(answer.out());
    }

    /** Takes every lock in the pool, none of which may be held, and dies with them. */
    static int takeAllLocks(Path pool) {
        Answer answer = judge("locks", pool.toString());
        assertThat(answer).as("judge locks %s", pool).returns(0, Answer::exitCode);
        assertThat(answer.out()).startsWith("free ");
        return Integer.parseInt(answer.out().substring("free ".length()).strip());
    }

    private static void change(String how, Path pool, long seed, int steps) {
        Answer answer =
                judge(how, pool.toString(), Long.toUnsignedString(seed), Integer.toString(steps));
        assertThat(answer)
                .as("judge %s %s %d %d", how, pool, seed, steps)
                .returns(0, Answer::exitCode);
    }

    public static Answer judge(String... arguments) {
        return program("judge", arguments);
    }

    /** Runs the program of a C source. */
    static Answer program(String name, String... arguments) {
        List<String> command = new ArrayList<>(List.of(program(name).toString()));
        command.addAll(List.of(arguments));
        return run(command.toArray(String[]::new));
    }

    static Answer run(String... command) {
        try {
            Path out = Files.createTempFile("native", ".out");
            Path err = Files.createTempFile("native", ".err");
            try {
                ProcessBuilder builder = new ProcessBuilder(command);
                builder.redirectOutput(out.toFile()).redirectError(err.toFile());
                Map<String, String> environment = builder.environment();
                environment.putIfAbsent("PMEM_IS_PMEM_FORCE", "1");
                Process process = builder.start();
                if (!process.waitFor(60, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                    throw new AssertionError("no answer in 60 s: " + String.join(" ", command));
                }
                return new Answer(
                        process.exitValue(),
                        Files.readString(out, StandardCharsets.UTF_8),
                        Files.readString(err, StandardCharsets.UTF_8));
            } finally {
                Files.delete(out);
                Files.delete(err);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private static String whatIsMissing() {
        if (!Files.isRegularFile(Path.of("/usr/include/libpmemobj.h"))) {
            return "libpmemobj-dev is not installed";
        }
        if (!Files.isExecutable(Path.of("/usr/bin/pmempool"))) {
            return "pmdk-tools is not installed";
        }
        return Files.isExecutable(Path.of("/usr/bin/gcc")) ? null : "gcc is not installed";
    }

    /** The compiled judge, to be run in an environment of the caller's. */
    static String programPath() {
        return program("judge").toString();
    }

    /** The executable of a C source, compiled once. */
    static synchronized Path program(String name) {
        return PROGRAMS.computeIfAbsent(name, NativeJudge::compiled);
    }

    /** The program made of one source file; it is deleted when this process ends. */
    static Path compiled(String name) {
        try {
            Path built = Files.createTempFile(name, "");
            built.toFile().deleteOnExit();
            Answer answer =
                    run(
                            "gcc",
                            "-O1",
                            "-Wall",
                            "-Werror",
                            "-rdynamic",
                            "-o",
                            built.toString(),
                            SOURCES.resolve(name + ".c").toString(),
                            "-lpmemobj",
                            "-lpmem");
            assertThat(answer).as("compiling %s.c", name).returns(0, Answer::exitCode);
            return built;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
