package io.farheap.it.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.tools.Main;
import io.farheap.tools.demo.LocalMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Programs in C that are compiled with the header which describes a pool's types, and run. */
final class TypedPrograms {
    private TypedPrograms() {}

    /** What a program prints of a pool. */
    static NativeJudge.Answer run(String source, Path pool, Path directory) throws IOException {
        String header = header(pool);
        Path types = Files.writeString(directory.resolve("types.h"), header);
        Path program = directory.resolve("program");
        NativeJudge.Answer compiled =
                NativeJudge.run(
                        "gcc",
                        "-Wall",
                        "-Wextra",
                        "-Werror",
                        "-DTYPES=\"" + types + "\"",
                        "-o",
                        program.toString(),
                        "src/test/native/" + source,
                        "-lpmemobj");
        assertThat(compiled).as(header).isEqualTo(new NativeJudge.Answer(0, "", ""));
        return NativeJudge.run(program.toString(), pool.toString());
    }

    /** As whoever writes such a program gets it. */
    private static String header(Path file) {
        NativeJudge.Answer types =
                NativeJudge.run(
                        LocalMachine.java(Main.class.getName(), "types", "--c", file.toString())
                                .toArray(String[]::new));
        assertThat(types.exitCode()).as(types.err()).isZero();
        return types.out();
    }
}
