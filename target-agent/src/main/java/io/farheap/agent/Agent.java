package io.farheap.agent;

import io.farheap.agent.base.PoolsetDirectory;
import io.farheap.agent.base.Refusal;
import io.farheap.agent.config.AgentConfiguration;
import io.farheap.agent.config.AgentOptions;
import io.farheap.agent.data.AgentProbe;
import io.farheap.agent.data.TargetMachine;
import io.farheap.agent.lock.LockRequest;
import io.farheap.agent.lock.ReplicaLock;
import io.farheap.agent.log.AgentLog;
import io.farheap.agent.replica.ReplicaPaths;
import io.farheap.agent.replica.ReplicaRemoval;
import io.farheap.agent.service.AgentService;
import io.farheap.agent.service.HangUp;
import io.farheap.agent.service.ServiceAddress;
import io.farheap.agent.service.ServiceFiles;
import io.farheap.agent.session.Session;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.memory.PortablePersistence;
import io.farheap.replication.control.LineChannel;
import io.farheap.replication.control.Reply.Code;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;

/**
 * The agent as a process: started by a remote shell, it serves one initiator on its standard
 * streams and ends with it; or it listens, serves all that come, and runs on. Options and exit
 * status: {@code farheap agent --help}.
 */
public final class Agent {
    /** Done. */
    public static final int OK = 0;

    /** Failed; one sentence is on standard error, or went to the initiator. */
    public static final int FAILED = 1;

    /** The command line is wrong. */
    static final int USAGE = 255;

    private Agent() {}

    /**
     * Runs until the initiator is gone. Nothing but control messages goes to {@code out}.
     *
     * @param out the initiator's ear; no PrintStream, which would hide that it is gone
     * @return the exit status
     */
    public static int run(String[] args, InputStream in, OutputStream out, PrintStream err) {
        AgentOptions options;
        try {
            options = AgentOptions.parse(args);
        } catch (FarheapException e) {
            err.println(e.getMessage());
            err.print(AgentOptions.USAGE);
            return USAGE;
        }
        if (options.help()) {
            new PrintStream(out, true).print(AgentOptions.USAGE);
            return OK;
        }
        if (options.version()) {
            String version = Agent.class.getPackage().getImplementationVersion();
            new PrintStream(out, true).println("farheap agent " + (version == null ? "" : version));
            return OK;
        }
        return runWith(options, List.of(args), in, out, err);
    }

    private static int runWith(
            AgentOptions options,
            List<String> typed,
            InputStream in,
            OutputStream out,
            PrintStream err) {
        try {
            PortablePersistence.requireNotUsed("an agent");
            Path home = home(System.getenv("HOME"));
            if (options.listen() != null) {
                return serve(options, home);
            }
            AgentConfiguration configuration =
                    AgentConfiguration.load(options, home, Path.of("/etc"));
            try (AgentLog log = AgentLog.open(configuration)) {
                if (options.remove() != null) {
                    RemovalOrder order = new RemovalOrder(options, typed, in, err);
                    return remove(options, configuration, order, err);
                }
                if (options.probe() != null) {
                    AgentProbe probe = new AgentProbe(configuration, TargetMachine.here());
                    new PrintStream(out, true).print(probe.tell(options.probe()));
                    return OK;
                }
                Session session = new Session(configuration, new LineChannel(in, out), log);
                if (session.run()) {
                    return OK;
                }
                if (!session.lastWord().isEmpty()) {
                    err.println(session.lastWord()); // where the initiator did not hear it
                }
                return FAILED;
            }
        } catch (FarheapException e) {
            err.println(e.getMessage());
            return e.category() == Category.WRONG_USE ? USAGE : FAILED;
        }
    }

    /** Until the process is told to end. */
    private static int serve(AgentOptions options, Path home) {
        HangUp hangUp = HangUp.taken(); // first of all: until then the signal ends the process
        InetSocketAddress address = ServiceAddress.parse(options.listen());
        ServiceFiles files = new ServiceFiles(options, home, Path.of("/etc"));
        try (AgentLog log = AgentLog.open(files.configuration());
                AgentService service = new AgentService(address, files, log)) {
            hangUp.tell(service::readAnew, log);
            service.run();
        }
        return OK;
    }

    /** {@code $HOME}, as rpmemd's; where that is not set, what the system says of the user. */
    static Path home(String variable) {
        boolean named = variable != null && variable.startsWith("/");
        return Path.of(named ? variable : System.getProperty("user.home"));
    }

    /** {@code --remove SET}: the exit status is the errno of what failed, as rpmemd's. */
    private static int remove(
            AgentOptions options,
            AgentConfiguration configuration,
            RemovalOrder order,
            PrintStream err) {
        try {
            ReplicaPaths paths =
                    ReplicaPaths.of(
                            new PoolsetDirectory(configuration.poolsetDirectory()),
                            options.remove());
            String me = "farheap agent --remove";
            try (ReplicaLock lock =
                    ReplicaLock.acquire(
                            paths.lock(),
                            LockRequest.onTarget(me, options.force()),
                            configuration.takeOverBound())) {
                ReplicaRemoval removal = new ReplicaRemoval(paths);
                try {
                    order.require(paths);
                    removal.removeAll(options.force());
                } finally {
                    lock.removeUnless(paths.journal().path());
                }
                if (options.removePoolset()) {
                    removal.removePoolset();
                }
            }
            return OK;
        } catch (Refusal e) {
            err.println(e.getMessage());
            return errno(e.code());
        }
    }

    private static int errno(Code code) {
        return switch (code) {
            case NOT_FOUND -> 2; // ENOENT
            case ACCESS -> 13; // EACCES
            case BUSY -> 16; // EBUSY
            case EXISTS, HOLDS_POOL -> 17; // EEXIST
            case BAD_NAME, BAD_POOLSET, WRONG_POOL -> 22; // EINVAL
            default -> 5; // EIO
        };
    }
}
