package io.farheap.agent.data;

import io.farheap.agent.base.Refusal;
import io.farheap.agent.config.AgentConfiguration;
import io.farheap.replication.control.Reply.Code;
import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * The only address that the data port is bound to: the one the control connection uses, or the one
 * that the operator named for RDMA.
 */
final class DataAddress {
    private DataAddress() {}

    /**
     * @param tunnel the initiator will come through the control connection's ssh
     */
    static InetAddress forControl(AgentConfiguration configuration, boolean tunnel) {
        return forControl(configuration, tunnel, Caller.BY_SHELL);
    }

    /**
     * @param tunnel as above
     * @param caller who comes
     */
    static InetAddress forControl(AgentConfiguration configuration, boolean tunnel, Caller caller) {
        if (!caller.mayUsePlainData()) {
            throw new Refusal(
                    Code.ACCESS,
                    "The target takes data connections within TLS only.",
                    "Set data to direct, or plain-data = yes on the target.");
        }
        if (caller == Caller.BY_SHELL && configuration.dataThroughSsh() && !tunnel) {
            throw new Refusal(
                    Code.ACCESS,
                    "The target takes data connections through ssh only.",
                    "Set the initiator to tunnel its data connection, or data = direct here.");
        }
        return tunnel ? InetAddress.getLoopbackAddress() : caller.address();
    }

    /**
     * Where verbs are waited for.
     *
     * @param tunnel as above
     */
    static InetAddress forVerbs(AgentConfiguration configuration, boolean tunnel, Caller caller) {
        InetAddress control = forControl(configuration, tunnel, caller);
        InetAddress named = configuration.rdmaAddress();
        return tunnel || named == null ? control : named;
    }

    /**
     * @param sshConnection {@code client-address client-port server-address server-port}, as sshd
     *     sets it; null or empty where a local command stands in for ssh
     */
    static InetAddress of(String sshConnection) {
        if (sshConnection == null || sshConnection.isBlank()) {
            return InetAddress.getLoopbackAddress();
        }
        String[] words = sshConnection.strip().split(" ");
        // Digits, dots and colons only: never a name, which would ask a name server.
        if (words.length == 4 && words[2].matches("[0-9a-fA-F.:]+(%[0-9a-zA-Z._-]+)?")) {
            try {
                return InetAddress.getByName(words[2]);
            } catch (UnknownHostException e) {
                throw unusable(sshConnection, e);
            }
        }
        throw unusable(sshConnection, null);
    }

    private static Refusal unusable(String sshConnection, Exception cause) {
        return new Refusal(
                Code.OTHER,
                "SSH_CONNECTION on the target does not name an address: " + sshConnection,
                "Have the agent started by sshd, or unset it.",
                cause);
    }
}
