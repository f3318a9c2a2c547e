package io.farheap.tools;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.tools.destruction.ConsentToLoss;
import io.farheap.tools.destruction.Destruction;
import io.farheap.tools.report.Output;
import io.farheap.tools.report.Report;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code farheap rm}. */
@Command(
        name = "rm",
        description = {
            "Removes pools, with all their parts and replicas.",
            "",
            "FILE is a plain pool file, which goes itself, or a poolset file, which stays unless"
                    + " -l, -r or -a is given. Remote replicas go too. What is to go is locked or"
                    + " looked at before anything goes: a pool in use is not touched, nor a replica"
                    + " that is of another pool.",
            "",
            "It says first what each copy holds, and asks; where nobody is at a terminal, --yes"
                    + " agrees. It refuses to remove commits that no other copy has, until the copy"
                    + " that has them is named: the command to type is printed. Cut short, or failed"
                    + " half-way, it has removed some files: give it again with -f."
        },
        footer = {
            "",
            "Examples:",
            "  farheap rm bank.set          # asks; the poolset file stays",
            "  farheap rm -y --discard=UUID bank.set  # the last copy, too",
            "  farheap rm -a bank.set       # poolset files, too, here and on targets",
            "  farheap rm -f -v bank.set    # also where parts are missing; says what went",
            "  farheap rm -i a.pool b.pool  # asks before each pool, by standard input"
        },
        mixinStandardHelpOptions = true)
final class RmCommand implements Callable<Integer> {
    @Option(
            names = {"-f", "--force"},
            description =
                    "go on where files are missing or a replica cannot be reached, which is named"
                            + " and left; the exit code is 4 then, and poolset files stay")
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

    @Option(
            names = {"-s", "--only-pools"},
            description = "poolset files stay; this is so where nothing else is said")
    private boolean onlyPools;

    @Option(
            names = {"-i", "--interactive"},
            description = "ask before each FILE; the answer is read from standard input")
    private boolean interactive;

    @Option(
            names = {"-v", "--verbose"},
            description = "say what was removed")
    private boolean verbose;

    @Mixin private ConsentToLoss consent;

    @Mixin private Output output;

    @Parameters(arity = "1..*", paramLabel = "FILE", description = "poolset or pool files")
    private List<Path> files;

    @Override
    public Integer call() throws IOException {
        if (onlyPools && (localSet || remoteSets || all)) {
            throw FarheapException.wrongUse("-s cannot be used with -l, -r or -a");
        }
        if (output.isJson() && interactive) {
            throw FarheapException.wrongUse("--json asks nothing: leave -i out");
        }
        List<String> gone = new ArrayList<>();
        List<String> left = new ArrayList<>();
        List<String> replicas = new ArrayList<>();
        List<PoolRemoval> removals = new ArrayList<>();
        try {
            for (Path file : files) {
                removals.add(PoolRemoval.prepare(file, force, localSet || all, remoteSets || all));
            }
            for (PoolRemoval removal : agreed(removals)) {
                remove(removal, gone, left);
                replicas.addAll(removal.left(remoteSets || all));
            }
        } finally {
            removals.forEach(PoolRemoval::close);
        }
        if (output.isJson()) {
            try (Report report = output.report()) {
                report.line("removed", gone);
                report.line("left", left);
                report.line("replicas left", replicas);
            }
        }
        if (!replicas.isEmpty()) {
            throw new FarheapException(Category.REPLICA, leaving(replicas));
        }
        return ExitCode.OK;
    }

    private void remove(PoolRemoval removal, List<String> gone, List<String> left)
            throws IOException {
        try {
            removal.remove(
                    removed -> {
                        gone.add(removed.toString());
                        if (verbose) {
                            output.say("removed '" + removed + "'");
                        }
                    },
                    (stays, why) -> {
                        left.add(stays.toString());
                        output.say("left '" + stays + "': " + why);
                    });
        } catch (IOException | FarheapException e) {
            if (gone.isEmpty()) {
                throw e;
            }
            throw HalfRemoved.after(e, gone, "the same command" + (force ? "" : " with -f"));
        }
    }

    private String leaving(List<String> replicas) {
        return String.join("; ", replicas)
                + (localSet || all
                        ? "; poolset files stay, as the one here names what is left"
                        : "");
    }

    /** A pool goes as a whole, so it is asked for as a whole. */
    private List<PoolRemoval> agreed(List<PoolRemoval> removals) throws IOException {
        Destruction destruction = new Destruction(consent, output);
        removals.forEach(removal -> removal.tell(destruction));
        if (!interactive) {
            destruction.require("remove " + (files.size() == 1 ? files.get(0) : "all of it"));
            return removals;
        }
        destruction.show();
        List<PoolRemoval> agreed = new ArrayList<>();
        for (PoolRemoval removal : removals) {
            if (destruction.isAgreed("remove pool '" + removal.file() + "'")) {
                agreed.add(removal);
            }
        }
        return agreed;
    }
}
