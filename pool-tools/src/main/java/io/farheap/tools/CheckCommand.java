package io.farheap.tools;

import io.farheap.ObjectPool;
import io.farheap.check.CheckReport;
import java.io.PrintWriter;
import java.nio.file.Path;
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
            "That is: headers and their links, descriptor, lanes and their logs, the whole heap with"
                    + " every object's header, the root, and log extensions that nobody has, after a"
                    + " recovery that is done in memory only. Nothing is written. Remote replicas"
                    + " are left out: see \"farheap sync --dry-run\"."
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
    public Integer call() {
        CheckReport report = ObjectPool.check(file);
        if (!quiet) {
            PrintWriter err = spec.commandLine().getErr();
            report.inconsistencies().stream()
                    .limit(MAX_PRINTED)
                    .forEach(found -> err.println("farheap: " + found));
            if (report.count() > MAX_PRINTED) {
                err.println("farheap: and " + (report.count() - MAX_PRINTED) + " more of these");
            }
            String verdict = report.isConsistent() ? "consistent" : "not consistent";
            spec.commandLine().getOut().println(file + ": " + verdict);
        }
        return report.isConsistent() ? ExitCode.OK : ExitCode.BAD_DATA;
    }
}
