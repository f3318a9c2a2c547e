package io.farheap.tools;

import io.farheap.base.FarheapException;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.live.LiveClient;
import io.farheap.live.ReloadedFile;
import io.farheap.memory.NativeFile;
import io.farheap.pool.PoolSource;
import io.farheap.pool.SideFiles;
import io.farheap.poolset.PoolSet;
import io.farheap.replication.status.ProgramStatus;
import io.farheap.replication.status.StatusFile;
import io.farheap.tools.command.PoolArgument;
import io.farheap.tools.command.RunningPool;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code farheap reload}. */
@Command(
        name = "reload",
        description = {
            "Has the program that has a pool open read the poolset file again.",
            "",
            "Remote replicas that the file names by now are brought up to date while commits go on,"
                    + " and are members then. Those that it does not name any more leave when those"
                    + " that are added have every commit; their files stay as they are. Anything"
                    + " else in the file must be as it was: else nothing changes, and it is said"
                    + " why. Waits until all replicas of the file are members, and says what is"
                    + " waited for; the program goes on with it where this is ended. It must run on"
                    + " the program's machine, as the same user."
        },
        footer = {
            "",
            "To replace a replica, edit twice: add the new line, reload, and take the old one out"
                    + " when the new one is ATTACHED. A program that dies between one edit that does"
                    + " both and the end of the copy is opened by a file that does not name the old"
                    + " one.",
            "",
            "Examples:",
            "  farheap reload bank.set            # after REPLICA lines were added or removed",
            "  farheap reload --no-wait bank.set  # and see farheap status",
            "  farheap reload --alone bank.set    # no other copy may be left for now"
        },
        mixinStandardHelpOptions = true)
final class ReloadCommand implements Callable<Integer> {
    private static final long PAUSE_MILLIS = 200;

    @Mixin private PoolArgument pool;

    @Option(
            names = "--alone",
            description =
                    "what the file does not name any more leaves at once, also where this machine's"
                            + " copy is the only one then")
    private boolean alone;

    @Option(names = "--no-wait", description = "do not wait for the replicas")
    private boolean noWait;

    @Spec private CommandSpec spec;

    private final Map<String, String> said = new HashMap<>();

    @Override
    public Integer call() throws InterruptedException {
        PoolSource source = pool.source();
        PoolSet set = source.existing();
        SideFiles files = SideFiles.of(set);
        long pid = program(source, files);
        // What leaves at once is told, too.
        status(files, pid)
                .ifPresent(now -> now.replicas().forEach(copy -> said.put(copy.replica(), "")));
        ReloadedFile file;
        try (LiveClient client = LiveClient.connect(pid, "close the pool and open it again")) {
            file = client.reload(RunningPool.poolId(files.beside()), alone);
        }
        PrintWriter out = spec.commandLine().getOut();
        out.println(file.file() + ": process " + pid + " has read it again");
        out.flush();
        if (noWait) {
            return ExitCode.OK;
        }
        List<String> named = file.replicas();
        Standing standing = Standing.UNDER_WAY;
        while (standing == Standing.UNDER_WAY) {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            standing = look(source, files, pid, named, out);
            out.flush();
        }
        return standing == Standing.DONE ? ExitCode.OK : ExitCode.REPLICA;
    }

    enum Standing {
        UNDER_WAY,
        DONE,
        REFUSED
    }

    private static long program(PoolSource source, SideFiles files) {
        OptionalLong pid;
        try {
            pid = NativeFile.lockedBy(files.beside());
        } catch (IOException e) {
            throw FarheapException.environment(
                    e, "it can't be found out who has %s open: %s", files.beside(), e.getMessage());
        }
        return pid.orElseThrow(
                () ->
                        FarheapException.environment(
                                "%s: no program has the pool open; the next one that opens it reads"
                                        + " the file",
                                source.path()));
    }

    private Standing look(
            PoolSource source, SideFiles files, long pid, List<String> named, PrintWriter out) {
        requireOpen(source, files, pid);
        Optional<ProgramStatus> status = status(files, pid);
        if (status.isEmpty()) {
            // Of a pool that was opened without replicas there is none.
            return named.isEmpty() ? Standing.DONE : Standing.UNDER_WAY;
        }
        List<ProgramStatus.Copy> copies = status.get().replicas();
        for (ProgramStatus.Copy copy : copies) {
            say(copy, out);
        }
        List<String> names = copies.stream().map(ProgramStatus.Copy::replica).toList();
        said.keySet().stream()
                .filter(name -> !names.contains(name))
                .toList()
                .forEach(
                        name -> {
                            said.remove(name);
                            out.println("  " + name + "  has left; what is there stays as it is");
                        });
        return standing(copies, named);
    }

    /**
     * How far it is.
     *
     * @param named those that the program has taken up: what else there is leaves
     */
    static Standing standing(List<ProgramStatus.Copy> copies, List<String> named) {
        boolean refused =
                copies.stream()
                        .filter(copy -> named.contains(copy.replica()))
                        .anyMatch(copy -> copy.state() == State.REFUSED);
        if (refused) {
            return Standing.REFUSED;
        }
        boolean whole = copies.stream().allMatch(copy -> copy.state() == State.ATTACHED);
        List<String> names = copies.stream().map(ProgramStatus.Copy::replica).toList();
        return whole && names.equals(named) ? Standing.DONE : Standing.UNDER_WAY;
    }

    private static Optional<ProgramStatus> status(SideFiles files, long pid) {
        return StatusFile.read(files.status()).filter(found -> found.pid() == pid);
    }

    private void say(ProgramStatus.Copy copy, PrintWriter out) {
        String news = copy.state() + ": " + copy.reason();
        if (!news.equals(said.put(copy.replica(), news))) {
            String left =
                    copy.state() == State.SYNCING && copy.lagBytes() >= 0
                            ? " (" + copy.lagBytes() + " bytes left)"
                            : "";
            out.println("  " + copy.replica() + "  " + news + left);
        }
    }

    private static void requireOpen(PoolSource source, SideFiles files, long pid) {
        if (program(source, files) != pid) {
            throw FarheapException.environment(
                    "%s: the program has closed the pool, and another one has it", source.path());
        }
    }
}
