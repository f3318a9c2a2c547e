package io.farheap.it.support;

import io.farheap.tools.Rehearsal;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * Shortens the start of the tests' Java processes: a class path of jars in place of directories,
 * and the virtual machine's ahead-of-time cache for it, as a distribution has it. Made by the first
 * process that needs it, for as long as no class changes; without it all runs, slower.
 */
final class AheadOfTime {
    private static final Path PLACE = Path.of("target", "ahead-of-time").toAbsolutePath();
    private static final Path CACHE = PLACE.resolve("classes.aot");
    private static final Path MADE_OF = PLACE.resolve("made-of");

    /** What the virtual machine says of its cache must not get into what a program prints. */
    private static final List<String> FLAGS =
            List.of("-XX:AOTCache=" + CACHE, "-Xlog:all=off:stdout", "-Xlog:all=error:stderr");

    private static AheadOfTime current;

    private final String classPath;
    private final List<String> flags;

    private AheadOfTime(String classPath, List<String> flags) {
        this.classPath = classPath;
        this.flags = flags;
    }

    /** Replaces the class path of a command that runs a class of this program. */
    static synchronized List<String> in(List<String> command) {
        if (System.getenv("LAB_NODE") != null) {
            return command; // an emulated machine ends before the cache has paid
        }
        int at = command.indexOf("-cp") + 1;
        if (current == null) {
            List<String> virtualMachine = new ArrayList<>(command.subList(0, at - 1));
            virtualMachine.removeIf(flag -> flag.startsWith("-D"));
            current = of(virtualMachine, command.get(at));
        }
        List<String> quick = new ArrayList<>(command);
        quick.set(at, current.classPath);
        quick.addAll(at - 1, current.flags);
        return quick;
    }

    private static AheadOfTime of(List<String> virtualMachine, String classPath) {
        try {
            Files.createDirectories(PLACE);
            // The forks of one build share it.
            try (FileChannel channel =
                            FileChannel.open(
                                    PLACE.resolve("lock"),
                                    StandardOpenOption.CREATE,
                                    StandardOpenOption.WRITE);
                    FileLock unused = channel.lock()) {
                return made(virtualMachine, classPath);
            }
        } catch (IOException e) {
            System.out.println("Processes of tests start without an ahead-of-time cache: " + e);
            return new AheadOfTime(classPath, List.of());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static AheadOfTime made(List<String> virtualMachine, String classPath)
            throws IOException, InterruptedException {
        StringBuilder madeOf = new StringBuilder();
        madeOf.append(System.getProperty("java.vm.version")).append(' ');
        madeOf.append(virtualMachine).append('\n');
        List<String> jars = new ArrayList<>();
        for (String entry : classPath.split(File.pathSeparator)) {
            Path path = Path.of(entry);
            if (Files.exists(path)) {
                madeOf.append(entry).append(' ').append(newest(path)).append('\n');
                boolean isJar = Files.isRegularFile(path);
                jars.add(isJar ? entry : PLACE.resolve(jars.size() + ".jar").toString());
            }
        }
        String joined = String.join(File.pathSeparator, jars);
        if (!Files.exists(MADE_OF) || !Files.readString(MADE_OF).contentEquals(madeOf)) {
            Files.deleteIfExists(MADE_OF);
            int index = 0;
            for (String entry : classPath.split(File.pathSeparator)) {
                Path path = Path.of(entry);
                if (Files.isDirectory(path)) {
                    pack(path, Path.of(jars.get(index)));
                }
                index += Files.exists(path) ? 1 : 0;
            }
            rehearse(virtualMachine, joined);
            Files.writeString(MADE_OF, madeOf);
        }
        return new AheadOfTime(joined, Files.exists(CACHE) ? FLAGS : List.of());
    }

    private static long newest(Path path) throws IOException {
        try (Stream<Path> files = Files.walk(path)) {
            return files.mapToLong(file -> file.toFile().lastModified()).max().orElse(0);
        }
    }

    private static void pack(Path directory, Path jar) throws IOException {
        Path unfinished = jar.resolveSibling(jar.getFileName() + ".unfinished");
        try (OutputStream out = Files.newOutputStream(unfinished);
                JarOutputStream packed = new JarOutputStream(out);
                Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                packed.putNextEntry(new JarEntry(directory.relativize(file).toString()));
                Files.copy(file, packed);
                packed.closeEntry();
            }
        }
        Files.move(unfinished, jar, StandardCopyOption.REPLACE_EXISTING);
    }

    private static void rehearse(List<String> virtualMachine, String classPath)
            throws IOException, InterruptedException {
        Files.deleteIfExists(CACHE);
        List<String> command = new ArrayList<>(virtualMachine);
        command.add("-XX:AOTCacheOutput=" + CACHE);
        command.add("-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"));
        command.addAll(List.of("-cp", classPath, Rehearsal.class.getName()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String said;
        try (InputStream output = process.getInputStream()) {
            said = new String(output.readAllBytes(), StandardCharsets.UTF_8);
        }
        if (process.waitFor() != 0) {
            Files.deleteIfExists(CACHE);
            System.out.println("No ahead-of-time cache was made: " + said);
        }
    }
}
