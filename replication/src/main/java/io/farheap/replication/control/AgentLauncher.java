package io.farheap.replication.control;

import io.farheap.base.FarheapException;
import io.farheap.memory.Programs;
import io.farheap.poolset.RemoteReplica;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Starts agents as librpmem starts its daemon: {@code SSH [-p PORT] -T -oBatchMode=yes [USER@]HOST
 * "CMD"} (docs/librpmem.md#environment).
 */
public final class AgentLauncher {
    private final String remoteShell;
    private final String agentCommand;

    /**
     * @param remoteShell the program run as ssh
     * @param agentCommand what it shall run on the target, one string for the shell there
     */
    public AgentLauncher(String remoteShell, String agentCommand) {
        this.remoteShell = remoteShell;
        this.agentCommand = agentCommand;
    }

    List<String> command(RemoteReplica replica) {
        List<String> command = shell(replica);
        command.add(agentCommand);
        return command;
    }

    /**
     * The command that forwards a socket of this machine to the agent's data port, seen from the
     * target.
     */
    List<String> tunnelCommand(RemoteReplica replica, Path entrance, String host, int port) {
        List<String> command = shell(replica);
        int node = command.size() - 1;
        command.addAll(
                node,
                List.of(
                        "-N",
                        "-oExitOnForwardFailure=yes",
                        "-L",
                        entrance + ":" + bracketed(host) + ":" + port));
        return command;
    }

    private List<String> shell(RemoteReplica replica) {
        List<String> command = new ArrayList<>();
        command.add(remoteShell);
        if (replica.port() != 0) {
            command.add("-p");
            command.add(Integer.toString(replica.port()));
        }
        command.add("-T");
        command.add("-oBatchMode=yes");
        command.add((replica.user() == null ? "" : replica.user() + "@") + replica.host());
        return command;
    }

    private static String bracketed(String host) {
        return host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    }

    /**
     * Starts the agent of a replica.
     *
     * @throws FarheapException category ENVIRONMENT when the remote shell can't be started
     */
    public ControlTransport launch(RemoteReplica replica) {
        return start(command(replica), replica);
    }

    /** Starts what makes the socket {@code entrance} and forwards it to the agent's data port. */
    public ControlTransport launchTunnel(
            RemoteReplica replica, Path entrance, String host, int port) {
        return start(tunnelCommand(replica, entrance, host, port), replica);
    }

    private ControlTransport start(List<String> command, RemoteReplica replica) {
        try {
            return new AgentProcess(Programs.start(command), "farheap-" + replica.host());
        } catch (IOException e) {
            throw FarheapException.environment(
                    e,
                    "replica %s: the remote shell \"%s\" can't be started (%s); install it"
                            + " or set RPMEM_SSH",
                    replica,
                    remoteShell,
                    e.getMessage());
        }
    }
}
