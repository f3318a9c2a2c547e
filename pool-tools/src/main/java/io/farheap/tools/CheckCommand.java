package io.farheap.tools;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code farheap check}. */
@Command(
        name = "check",
        description = {
            "Checks the local replicas of a pool.",
            "",
            "That is: headers and their links, descriptor, logs and the whole heap, after a recovery"
                    + " that is done in memory only. Nothing is written. Remote replicas are left"
                    + " out: see \"farheap sync --dry-run\"."
        },
        mixinStandardHelpOptions = true)
final class CheckCommand implements Callable<Integer> {
    private static final int MAX_PRINTED = 100;

    @Option(
            names = {"-q", "--quiet"},
            description = "the exit code says it all")
    private boolean quiet;

    @Parameters(paramLabel = "FILE", description = "a poolset file or a pool file")
    private Path file;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        List<String> problems = PoolCheck.problems(file);
        if (!quiet) {
            PrintWriter err = spec.commandLine().getErr();
            problems.stream().limit(MAX_PRINTED).forEach(p -> err.println("farheap: " + p));
            if (problems.size() > MAX_PRINTED) {
                err.println("farheap: and " + (problems.size() - MAX_PRINTED) + " more of these");
            }
            String verdict = problems.isEmpty() ? "consistent" : "not consistent";
            spec.commandLine().getOut().println(file + ": " + verdict);
        }
        return problems.isEmpty() ? ExitCode.OK : ExitCode.BAD_DATA;
    }
}
