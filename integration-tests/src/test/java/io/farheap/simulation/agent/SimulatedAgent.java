package io.farheap.simulation.agent;

import io.farheap.agent.config.AgentConfiguration;
import io.farheap.agent.session.ServedSession;
import io.farheap.replication.control.LineChannel;
import io.farheap.simulation.engine.Machine;
import io.farheap.simulation.engine.SimProcess;
import io.farheap.simulation.engine.World;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** Starts the agent's process on a simulated target: a real session over simulated files. */
public final class SimulatedAgent {
    private SimulatedAgent() {}

    /** What the agent's operator has set. */
    public static AgentConfiguration configuration(
            Path poolsets, int heartbeatMillis, boolean byReads) {
        return configuration(poolsets, heartbeatMillis, byReads, "");
    }

    /**
     * The same of a node's agent.
     *
     * @param ask what store it asks for the term; empty: none
     */
    public static AgentConfiguration configuration(
            Path poolsets, int heartbeatMillis, boolean byReads, String ask) {
        Map<String, String> settings = new TreeMap<>();
        if (!ask.isEmpty()) {
            settings.put("ask", ask);
        }
        settings.put("heartbeat-bound", Integer.toString(heartbeatMillis));
        if (byReads) {
            settings.put("persist-apm", "yes");
            settings.put("platform", "eadr");
        }
        return ServedSession.configuration(poolsets, settings);
    }

    /** A process on that machine. */
    public static SimProcess process(World world, Machine target) {
        return new SimProcess(world, target, "agent");
    }

    /** Has it serve, until its session ends: then the process ends. */
    public static void serve(
            World world,
            SimProcess process,
            AgentConfiguration configuration,
            LineChannel channel) {
        Thread unused =
                process.start(
                        "main",
                        () -> {
                            boolean ok = ServedSession.run(configuration, channel, world::note);
                            world.note("session ended " + (ok ? "in good order" : "early"));
                            process.kill();
                            SimProcess.vanish();
                        });
    }
}
