package io.farheap.objects;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The code on the page about typed objects compiles and does what the page says. */
class ObjectsPageTest {
    private static final Path PAGE = Path.of("../docs/objects.md");
    private static final Pattern CODE = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    private static final String PROGRAM =
            """
            package bank;

            import io.farheap.objects.*;
            import io.farheap.objects.schema.*;
            import java.nio.file.Path;
            import java.time.Instant;
            import java.util.List;
            import java.util.function.Function;

            public final class Program implements Function<Path, Object> {
                %s

                @Override
                public Object apply(Path file) {
                    String result;
                    %s
                    return result;
                }
            }
            """;

    @TempDir Path directory;

    @Test
    void itsProgramMovesMoney() throws Exception {
        List<String> blocks =
                CODE.matcher(Files.readString(PAGE))
                        .results()
                        .map(block -> block.group(1))
                        .toList();
        assertThat(blocks).hasSize(2);
        Object result =
                ProgramVersion.ofSource(
                                directory, String.format(PROGRAM, blocks.get(0), blocks.get(1)))
                        .run(directory.resolve("pool"));
        assertThat(result).isEqualTo("200 70 rent");
    }
}
