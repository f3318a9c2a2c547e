package io.farheap.it.support;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** What processes of a test run: this build, or another one. */
public final class Build {
    /** The one that is tested. */
    public static final Build THIS = new Build(null);

    private static final Path VERSIONS =
            Path.of(
                    "../replication/src/main/java",
                    "io/farheap/replication/control/SpokenVersions.java");
    private static final String OURS = "new SpokenVersions(Reply.VERSION, Reply.VERSION)";

    private final UnaryOperator<String> classPath;

    private Build(UnaryOperator<String> classPath) {
        this.classPath = classPath;
    }

    /**
     * The same as this one but for what it says it speaks.
     *
     * @param classes an empty directory
     */
    public static Build speaking(Path classes, int lowest, int highest) throws IOException {
        String source = Files.readString(VERSIONS);
        if (!source.contains(OURS)) {
            throw new AssertionError(VERSIONS + " has changed");
        }
        Path file = Files.createDirectories(classes).resolve("SpokenVersions.java");
        Files.writeString(
                file,
                source.replace(OURS, "new SpokenVersions(%d, %d)".formatted(lowest, highest)));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<String> options =
                    List.of(
                            "-d",
                            classes.toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            "-proc:none");
            if (!compiler.getTask(null, files, null, options, null, files.getJavaFileObjects(file))
                    .call()) {
                throw new AssertionError(file + " does not compile");
            }
        }
        return new Build(usual -> classes + File.pathSeparator + usual);
    }

    /** One that lies there unpacked, as an archive of it has been made. */
    public static Build unpacked(Path distribution) throws IOException {
        Path tests = Path.of("target", "test-classes").toAbsolutePath();
        try (Stream<Path> files = Files.list(distribution.resolve("lib"))) {
            String jars =
                    files.map(Path::toAbsolutePath)
                            .map(Path::toString)
                            .filter(name -> name.endsWith(".jar"))
                            .sorted()
                            .collect(Collectors.joining(File.pathSeparator));
            return new Build(usual -> tests + File.pathSeparator + jars);
        }
    }

    /** The command that runs a class, of this build. */
    List<String> in(List<String> command) {
        if (classPath == null) {
            return AheadOfTime.in(command);
        }
        List<String> other = new ArrayList<>(command);
        int at = command.indexOf("-cp") + 1;
        other.set(at, classPath.apply(command.get(at)));
        return other;
    }
}
