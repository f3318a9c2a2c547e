package io.farheap.objects;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * One version of a program, compiled from its source and loaded by a loader of its own: another
 * version has classes of the same names.
 */
final class ProgramVersion {
    private static final String SOURCE =
            """
            package bank;

            import io.farheap.objects.*;
            import io.farheap.objects.schema.*;
            import java.nio.file.Path;
            import java.time.*;
            import java.util.*;
            import java.util.function.Function;

            public final class Program implements Function<Path, Object> {
                %s

                private PersistentHeap<Root> heap;

                @Override
                public Object apply(Path file) {
                    try (PersistentHeap<Root> opened =
                            PersistentHeap.openOrCreate(file, 16L << 20, Root.class)) {
                        heap = opened;
                        return run(opened.root());
                    }
                }

                private Object run(Root root) {
                    %s
                }
            }
            """;

    private final Path classes;
    private final String source;

    /**
     * @param types {@code Root} among them
     * @param body statements that return something, with {@code heap} and {@code root}
     */
    ProgramVersion(Path directory, String types, String body) throws IOException {
        this(directory, String.format(SOURCE, types, body));
    }

    private ProgramVersion(Path directory, String source) throws IOException {
        this.classes = Files.createTempDirectory(directory, "version");
        this.source = source;
    }

    /** Of a whole file: {@code bank.Program}, a {@code Function}; of paths, if it is to run. */
    static ProgramVersion ofSource(Path directory, String source) throws IOException {
        return new ProgramVersion(directory, source);
    }

    @SuppressWarnings("unchecked")
    Object run(Path file) throws Exception {
        compile();
        try (URLClassLoader loader =
                new URLClassLoader(
                        new URL[] {classes.toUri().toURL()}, getClass().getClassLoader())) {
            Function<Path, Object> program =
                    (Function<Path, Object>)
                            loader.loadClass("bank.Program").getConstructor().newInstance();
            return program.apply(file);
        }
    }

    /** The program, whose classes stay until it is closed: for many runs. */
    static final class Loaded implements AutoCloseable {
        private final URLClassLoader loader;
        private final Function<Object, Object> program;

        @SuppressWarnings("unchecked")
        private Loaded(Path classes) throws Exception {
            loader =
                    new URLClassLoader(
                            new URL[] {classes.toUri().toURL()},
                            ProgramVersion.class.getClassLoader());
            program =
                    (Function<Object, Object>)
                            loader.loadClass("bank.Program").getConstructor().newInstance();
        }

        Object apply(Object argument) {
            return program.apply(argument);
        }

        @Override
        public void close() throws IOException {
            loader.close();
        }
    }

    Loaded load() throws Exception {
        compile();
        return new Loaded(classes);
    }

    private void compile() {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        boolean isCompiled =
                compiler.getTask(
                                null,
                                null,
                                diagnostics,
                                List.of("-d", classes.toString(), "-proc:none"),
                                null,
                                List.of(new Source(source)))
                        .call();
        assertThat(isCompiled).as(diagnostics.getDiagnostics().toString()).isTrue();
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String text) {
            super(URI.create("string:///bank/Program.java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
