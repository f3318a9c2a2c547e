package io.farheap.it.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.objects.transaction.HeapTransactions;
import io.farheap.objects.type.CHeader;
import io.farheap.objects.type.TypeTable;
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

    private static String header(Path file) {
        try (ObjectPool pool = ObjectPool.open(file, null);
                HeapTransactions heap = new HeapTransactions(pool)) {
            return CHeader.of(heap.read(tx -> TypeTable.read(tx, tx.root())));
        }
    }
}
