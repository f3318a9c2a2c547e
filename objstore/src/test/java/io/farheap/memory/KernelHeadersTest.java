package io.farheap.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A C compiler compares our numbers with those of the kernel's headers for each machine. */
class KernelHeadersTest {
    private static final Map<Platform, List<Path>> HEADERS =
            Map.of(
                    Platform.X86_64,
                    List.of(Path.of("/usr/include/x86_64-linux-gnu"), Path.of("/usr/include")),
                    Platform.AARCH64,
                    List.of(Path.of("/usr/aarch64-linux-gnu/include")));

    private static final Map<String, Long> OF_ALL =
            Map.ofEntries(
                    Map.entry("O_RDWR", (long) LibC.O_RDWR),
                    Map.entry("O_CREAT", (long) LibC.O_CREAT),
                    Map.entry("O_EXCL", (long) LibC.O_EXCL),
                    Map.entry("O_DSYNC", (long) LibC.O_DSYNC),
                    Map.entry("O_CLOEXEC", (long) LibC.O_CLOEXEC),
                    Map.entry("PROT_NONE", (long) LibC.PROT_NONE),
                    Map.entry("PROT_READ", (long) LibC.PROT_READ),
                    Map.entry("(PROT_READ | PROT_WRITE)", (long) LibC.PROT_READ_WRITE),
                    Map.entry("MAP_SHARED", (long) LibC.MAP_SHARED),
                    Map.entry("MAP_PRIVATE", (long) LibC.MAP_PRIVATE),
                    Map.entry("MAP_SHARED_VALIDATE", (long) LibC.MAP_SHARED_VALIDATE),
                    Map.entry("MAP_FIXED", (long) LibC.MAP_FIXED),
                    Map.entry("MAP_ANONYMOUS", (long) LibC.MAP_ANONYMOUS),
                    Map.entry("MAP_NORESERVE", (long) LibC.MAP_NORESERVE),
                    Map.entry("MAP_SYNC", (long) LibC.MAP_SYNC),
                    Map.entry("MS_SYNC", (long) LibC.MS_SYNC),
                    Map.entry("MADV_DONTNEED", (long) LibC.DONT_NEED),
                    Map.entry("SEEK_END", LibC.FROM_END),
                    Map.entry("(LOCK_EX | LOCK_NB)", (long) LibC.LOCK_EXCLUSIVE_NOW),
                    Map.entry("LOCK_UN", (long) LibC.UNLOCK),
                    Map.entry("ENOENT", (long) LibC.ENOENT),
                    Map.entry("EINTR", (long) LibC.EINTR),
                    Map.entry("EIO", (long) LibC.EIO),
                    Map.entry("EBADF", (long) PortableErrors.EBADF),
                    Map.entry("EAGAIN", (long) LibC.EAGAIN),
                    Map.entry("ENOMEM", (long) PortableErrors.ENOMEM),
                    Map.entry("EACCES", (long) LibC.EACCES),
                    Map.entry("EEXIST", (long) LibC.EEXIST),
                    Map.entry("EISDIR", (long) PortableErrors.EISDIR),
                    Map.entry("EINVAL", (long) LibC.EINVAL),
                    Map.entry("ENOSPC", (long) PortableErrors.ENOSPC),
                    Map.entry("ENOSYS", (long) PortableErrors.ENOSYS),
                    Map.entry("ELOOP", (long) PortableErrors.ELOOP),
                    Map.entry("EOPNOTSUPP", (long) PortableErrors.EOPNOTSUPP),
                    Map.entry("ESTALE", (long) PortableErrors.ESTALE));

    @BeforeAll
    static void requireCompiler() {
        boolean there = Files.isExecutable(Path.of("/usr/bin/gcc"));
        if (System.getenv("CI") != null) {
            assertThat(there).as("CI must have gcc").isTrue();
        }
        Assumptions.assumeTrue(there, "gcc is not installed");
    }

    @ParameterizedTest
    @EnumSource
    void everyNumberIsTheKernels(Platform platform) throws Exception {
        List<Path> headers = HEADERS.get(platform);
        boolean there = Files.exists(headers.get(0).resolve("asm/fcntl.h"));
        if (System.getenv("CI") != null) {
            assertThat(there).as("CI must have linux-libc-dev-arm64-cross").isTrue();
        }
        Assumptions.assumeTrue(there, "no headers for " + platform + " are installed");

        Map<String, Long> ofMachine =
                Map.of(
                        "O_DIRECTORY", (long) platform.directoryFlag(),
                        "O_NOFOLLOW", (long) platform.noFollowFlag(),
                        "O_DIRECT", (long) platform.directFlag());
        String program =
                "#include <asm/fcntl.h>\n#include <asm/mman.h>\n#include <linux/mman.h>\n"
                        + "#include <asm/errno.h>\n#include <linux/fs.h>\n"
                        + Stream.of(OF_ALL, ofMachine)
                                .flatMap(numbers -> numbers.entrySet().stream())
                                .map(
                                        each ->
                                                "_Static_assert(%s == %d, \"%s\");\n"
                                                        .formatted(
                                                                each.getKey(),
                                                                each.getValue(),
                                                                each.getKey()))
                                .sorted()
                                .collect(Collectors.joining());
        assertThat(compiled(headers, program)).isEmpty();
    }

    /** What the compiler complains of. */
    private static String compiled(List<Path> headers, String program)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("/usr/bin/gcc", "-nostdinc"));
        headers.forEach(each -> command.addAll(List.of("-isystem", each.toString())));
        command.addAll(List.of("-fsyntax-only", "-x", "c", "-"));
        Process compiler = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (var input = compiler.getOutputStream()) {
            input.write(program.getBytes(StandardCharsets.US_ASCII));
        }
        String said =
                new String(compiler.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        assertThat(compiler.waitFor()).as(said).isZero();
        return said;
    }
}
