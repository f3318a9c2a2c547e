package io.farheap.tools.failover;

import io.farheap.availability.FailOverControl;
import io.farheap.availability.FailOverState;
import io.farheap.availability.HighAvailability;
import io.farheap.base.FarheapException;
import io.farheap.tools.report.Output;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code farheap run}. */
@Command(
        name = "run",
        description = {
            "Runs a program when it is this node's turn to write a pool.",
            "",
            "Waits without the program's memory, and starts it when this node may stand: the program"
                    + " opens the pool itself, under automatic fail-over. When another node writes,"
                    + " the program is ended (TERM, after 10 s KILL), and it waits again. When the"
                    + " program ends by itself, so does this, with its exit code. The pool's record"
                    + " is there before: a program makes it without this command, once"
                    + " (HighAvailability.create)."
        },
        footer = {
            "",
            "Examples:",
            "  farheap run --store etcd:http://e:2379 --pool b --node a --copy a.set -- bank"
        },
        mixinStandardHelpOptions = true)
public final class RunCommand implements Callable<Integer> {
    private static final long GRACE_SECONDS = 10;

    @Mixin private PoolInStore pool;

    @Option(
            names = "--node",
            required = true,
            paramLabel = "NAME",
            description = "this node, as other nodes' REPLICA lines name its host")
    private String node;

    @Option(
            names = "--copy",
            required = true,
            paramLabel = "POOLSET",
            description = "the poolset file of this node's copy")
    private Path copy;

    @Option(
            names = "--priority",
            paramLabel = "STEPS",
            defaultValue = "0",
            description = "how much later than others it stands, in half seconds; default: 0")
    private int priority;

    @Parameters(
            paramLabel = "COMMAND",
            arity = "1..*",
            description = "the program and its arguments, behind --")
    private List<String> command;

    @Mixin private Output output;

    @Override
    public Integer call() throws IOException, InterruptedException {
        HighAvailability here =
                pool.reached()
                        .node(node)
                        .copy(copy)
                        .priority(priority)
                        .onWaiting(why -> output.say("waiting: " + why));
        try (FailOverControl control = here.control()) {
            while (true) {
                here.awaitChance();
                output.say("starting: " + String.join(" ", command));
                OptionalInt exitCode = run(control);
                control.programEnded(node);
                if (exitCode.isPresent()) {
                    return exitCode.getAsInt();
                }
            }
        }
    }

    /** Empty: another node writes. */
    private OptionalInt run(FailOverControl control) throws IOException, InterruptedException {
        CompletableFuture<Optional<Process>> started = new CompletableFuture<>();
        Thread ending = new Thread(() -> started.join().ifPresent(RunCommand::end), "farheap-run");
        // Before there is a program: whoever ends this process meanwhile must not leave it alone.
        Runtime.getRuntime().addShutdownHook(ending);
        Process program = null;
        try {
            program = new ProcessBuilder(command).inheritIO().start();
        } finally {
            boolean unused = started.complete(Optional.ofNullable(program));
            if (program == null) {
                forget(ending);
            }
        }
        try {
            boolean hasWritten = false;
            while (!program.waitFor(1, TimeUnit.SECONDS)) {
                Optional<FailOverState> found = look(control);
                hasWritten |= found.map(FailOverState::writer).orElse("").equals(node);
                String successor =
                        found.map(hasWritten ? FailOverState::writer : FailOverState::writing)
                                .orElse("");
                if (!successor.isEmpty() && !successor.equals(node)) {
                    output.say("ending it: " + successor + " writes");
                    end(program);
                    return OptionalInt.empty();
                }
            }
            return OptionalInt.of(program.exitValue());
        } finally {
            if (program.isAlive()) {
                end(program);
            }
            forget(ending);
        }
    }

    private static void forget(Thread ending) {
        try {
            boolean unused = Runtime.getRuntime().removeShutdownHook(ending);
        } catch (IllegalStateException e) {
            Thread.yield(); // this process ends, and ends it
        }
    }

    /**
     * How it stands. That a node has announced itself is no reason to end a program that writes:
     * its turn may come to nothing. Once the record names another node the program can commit no
     * more, whether that one writes yet or waits for this node's copy, which the program holds.
     */
    private static Optional<FailOverState> look(FailOverControl control) {
        try {
            return Optional.of(control.look());
        } catch (FarheapException e) {
            return Optional.empty(); // the program's commits need no store
        }
    }

    private static void end(Process program) {
        boolean unused = program.toHandle().destroy();
        try {
            if (!program.waitFor(GRACE_SECONDS, TimeUnit.SECONDS)) {
                unused = program.toHandle().destroyForcibly();
                int unusedCode = program.waitFor();
            }
        } catch (InterruptedException e) {
            unused = program.toHandle().destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
