package io.farheap.agent.service;

import io.farheap.agent.base.Refusal;
import io.farheap.agent.config.AgentConfiguration;
import io.farheap.agent.config.Allowance;
import io.farheap.agent.data.Caller;
import io.farheap.agent.lock.Neighbours;
import io.farheap.agent.replica.ReplicaPaths;
import io.farheap.agent.store.ReplicaStore;
import io.farheap.replication.control.Limits;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.control.Request;
import io.farheap.replication.fabric.TargetListener;
import io.farheap.replication.fabric.tcp.DataDoors;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * Who came within TLS to an agent that listens.
 *
 * @param names of its certificate; the first for messages
 * @param configuration as it was when it came
 * @param local where it came to
 */
record TlsCaller(
        List<String> names,
        AgentConfiguration configuration,
        InetSocketAddress local,
        DataDoors doors,
        Neighbours neighbours,
        ServiceFigures figures)
        implements Caller {

    String name() {
        return names.get(0);
    }

    @Override
    public void require(Request.Hello hello) {
        Allowance.Right wanted = Allowance.Right.of(hello);
        boolean allowed =
                configuration.listening().allowances().stream()
                        .anyMatch(each -> each.lets(names, wanted, hello.poolset()));
        if (!allowed) {
            throw new Refusal(
                    Code.ACCESS,
                    "The target does not allow "
                            + name()
                            + " to "
                            + wanted.text()
                            + " the replica \""
                            + hello.poolset()
                            + "\".",
                    "If it shall, add to the target's agent.conf: allow = "
                            + (name().indexOf(' ') < 0 ? name() : '"' + name() + '"')
                            + " "
                            + hello.poolset()
                            + " "
                            + wanted.text());
        }
    }

    @Override
    public String named(String initiator) {
        return Limits.cut(name() + ", " + initiator);
    }

    @Override
    public InetAddress address() {
        return local.getAddress();
    }

    @Override
    public TargetListener door(byte[] secret, MemorySegment region) {
        return doors.open(
                name(),
                local.getPort(),
                secret,
                region,
                MemorySegment.NULL,
                configuration.waiting());
    }

    @Override
    public void holds(ReplicaPaths paths, ReplicaStore store) {
        figures.holds(paths, store);
    }

    @Override
    public void leaves(ReplicaPaths paths, ReplicaStore store) {
        figures.leaves(paths, store);
    }

    @Override
    public boolean mayUsePlainData() {
        return configuration.listening().plainData();
    }
}
