package io.farheap.agent.session;

import io.farheap.agent.log.AgentLog;
import io.farheap.agent.config.AgentConfiguration;
import io.farheap.agent.config.AgentConfiguration.Key;
import io.farheap.agent.config.AgentConfiguration.LogLevel;
import io.farheap.replication.control.LineChannel;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Consumer;

/** A session of the agent in a process of the test's, which has no files of its own. */
public final class ServedSession {
    private ServedSession() {}

    /**
     * What the agent's operator has set.
     *
     * @param settings by the names that configuration files have for them
     */
    public static AgentConfiguration configuration(Path poolsets, Map<String, String> settings) {
        Map<Key, String> values = new EnumMap<>(Key.class);
        values.put(Key.POOLSET_DIR, poolsets.toString());
        settings.forEach((name, value) -> values.put(Key.of(name), value));
        return AgentConfiguration.of(values, poolsets);
    }

    /**
     * Serves until the session ends.
     *
     * @param log hears every line
     * @return whether it ended in good order
     */
    public static boolean run(
            AgentConfiguration configuration, LineChannel channel, Consumer<String> log) {
        AgentLog lines =
                new AgentLog(
                        LogLevel.DEBUG,
                        new AgentLog.Sink() {
                            @Override
                            public void write(LogLevel level, String message) {
                                log.accept(level + " " + message);
                            }

                            @Override
                            public void close() {}
                        });
        return new Session(configuration, channel, lines).run();
    }
}
