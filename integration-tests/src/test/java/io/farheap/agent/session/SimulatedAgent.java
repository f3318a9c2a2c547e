package io.farheap.agent.session;

import io.farheap.agent.config.AgentConfiguration;
import io.farheap.agent.config.AgentConfiguration.Key;
import io.farheap.agent.config.AgentConfiguration.LogLevel;
import io.farheap.agent.log.AgentLog;
import io.farheap.replication.control.LineChannel;
import io.farheap.simulation.engine.Machine;
import io.farheap.simulation.engine.SimProcess;
import io.farheap.simulation.engine.World;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;

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
        Map<Key, String> values = new EnumMap<>(Key.class);
        if (!ask.isEmpty()) {
            values.put(Key.ASK, ask);
        }
        values.put(Key.POOLSET_DIR, poolsets.toString());
        values.put(Key.HEARTBEAT_BOUND, Integer.toString(heartbeatMillis));
        if (byReads) {
            values.put(Key.PERSIST_APM, "yes");
            values.put(Key.PLATFORM, "eadr");
        }
        return AgentConfiguration.of(values, poolsets);
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
        AgentLog log =
                new AgentLog(
                        LogLevel.DEBUG,
                        new AgentLog.Sink() {
                            @Override
                            public void write(LogLevel level, String message) {
                                world.note(level + " " + message);
                            }

                            @Override
                            public void close() {}
                        });
        Thread unused =
                process.start(
                        "main",
                        () -> {
                            boolean ok = new Session(configuration, channel, log).run();
                            world.note("session ended " + (ok ? "in good order" : "early"));
                            process.kill();
                            SimProcess.vanish();
                        });
    }
}
