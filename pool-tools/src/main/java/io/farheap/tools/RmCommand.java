package io.farheap.tools;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code farheap rm}. */
@Command(
        name = "rm",
        description = {
            "Removes pools, with all their parts and replicas.",
            "",
            "FILE is a plain pool file, which goes itself, or a poolset file, which stays unless -l,"
                    + " -r or -a is given. Remote replicas go too. What is to go is locked or looked at"
                    + " before anything goes: a pool in use is not touched."
        },
        mixinStandardHelpOptions = true)
final class RmCommand implements Callable<Integer> {
    @Option(
            names = {"-f", "--force"},
            description = "go on where files are missing or a replica cannot be reached")
    private boolean force;

    @Option(
            names = {"-l", "--local"},
            description = "remove the poolset file here, too")
    private boolean localSet;

    @Option(
            names = {"-r", "--remote"},
            description = "remove the poolset files of remote replicas, too")
    private boolean remoteSets;

    @Option(
            names = {"-a", "--all"},
            description = "both: -l and -r")
    private boolean all;

    @Parameters(arity = "1..*", paramLabel = "FILE", description = "poolset or pool files")
    private List<Path> files;

    @Override
    public Integer call() throws IOException {
        List<PoolRemoval> removals = new ArrayList<>();
        try {
            for (Path file : files) {
                removals.add(PoolRemoval.prepare(file, force, localSet || all, remoteSets || all));
            }
            for (PoolRemoval removal : removals) {
                removal.remove();
            }
        } finally {
            removals.forEach(PoolRemoval::close);
        }
        return ExitCode.OK;
    }
}
