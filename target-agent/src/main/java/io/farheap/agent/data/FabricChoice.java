package io.farheap.agent.data;

import io.farheap.agent.base.Refusal;
import io.farheap.agent.config.AgentConfiguration;
import io.farheap.base.FarheapException;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.fabric.FabricKind;
import io.farheap.replication.fabric.FabricUse;
import io.farheap.replication.fabric.verbs.RdmaDevices;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/**
 * Which fabric the data connection of a session is made over, and why.
 *
 * @param reason one sentence for a person, without a point
 */
record FabricChoice(FabricKind kind, String reason) {

    /**
     * @param offered what the initiator can use
     * @param tunnel whether the data connection comes through ssh
     * @param address the only one that the data port may be bound to
     * @throws Refusal when one side wants what the other one does not have
     */
    static FabricChoice of(
            AgentConfiguration configuration,
            List<FabricKind> offered,
            boolean tunnel,
            InetAddress address,
            TargetMachine machine) {
        String obstacle = obstacle(configuration, offered, tunnel, address, machine);
        if (obstacle == null) {
            RdmaDevices.Device device = machine.devices().having(address).orElseThrow();
            return new FabricChoice(
                    FabricKind.VERBS,
                    "the RDMA device "
                            + device.name()
                            + " has the address "
                            + address.getHostAddress());
        }
        return tcpBecause(obstacle, configuration, offered);
    }

    /**
     * Tcp, if both sides allow it.
     *
     * @param obstacle why verbs can't be used
     */
    static FabricChoice tcpBecause(
            String obstacle, AgentConfiguration configuration, List<FabricKind> offered) {
        if (configuration.fabric() == FabricUse.VERBS || !offered.contains(FabricKind.TCP)) {
            boolean ours = configuration.fabric() == FabricUse.VERBS;
            throw new Refusal(
                    Code.OTHER,
                    (ours ? "The target's configuration" : "The initiator")
                            + " allows data connections over verbs only, but "
                            + obstacle
                            + ".",
                    ours
                            ? "See farheap agent --probe there, or set fabric = auto."
                            : "See farheap agent --probe on the target, or set FARHEAP_FABRIC to"
                                    + " auto.");
        }
        return new FabricChoice(FabricKind.TCP, obstacle);
    }

    /** What is looked for first costs least. */
    private static String obstacle(
            AgentConfiguration configuration,
            List<FabricKind> offered,
            boolean tunnel,
            InetAddress address,
            TargetMachine machine) {
        if (configuration.fabric() == FabricUse.TCP) {
            return "the target's configuration says so (fabric = tcp)";
        }
        if (!offered.contains(FabricKind.VERBS)) {
            return "the initiator can't use verbs, or may not";
        }
        if (tunnel) {
            return "the data connection comes through ssh";
        }
        RdmaDevices devices = machine.devices();
        if (devices.all().isEmpty()) {
            return "the target has no RDMA device";
        }
        if (!(address instanceof Inet4Address)) {
            return "verbs needs an address of IPv4, and " + address.getHostAddress() + " is none";
        }
        Optional<RdmaDevices.Device> device = devices.having(address);
        if (device.isEmpty()) {
            return "no RDMA device of the target has the address "
                    + address.getHostAddress()
                    + " (there are: "
                    + devices
                    + "; rdma-address can name another one)";
        }
        if (!device.get().active()) {
            return "the target's RDMA device " + device.get() + " has no port that is up";
        }
        try {
            var unused = machine.verbs(configuration.waiting());
            return null;
        } catch (FarheapException e) {
            return "on the target " + e.getMessage().replaceFirst("[.]$", "");
        }
    }
}
