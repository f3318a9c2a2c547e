package io.farheap.agent.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.farheap.agent.config.AgentConfiguration.LogLevel;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class AgentLogTest {
    @Test
    void logsOneLineAnEntryAndNothingBelowItsLevel() {
        StringBuilder lines = new StringBuilder();
        AgentLog.Sink sink =
                new AgentLog.Sink() {
                    @Override
                    public void write(LogLevel level, String message) {
                        lines.append(level).append(' ').append(message).append('|');
                    }

                    @Override
                    public void close() {}
                };
        try (AgentLog some = new AgentLog(LogLevel.WARN, sink)) {
            some.error("a\nb", new IOException("c"));
            some.warn("d");
            some.notice("e");
        }
        assertThat(lines).hasToString("ERR a?b [java.io.IOException: c]|WARN d|");
    }

    /** Nothing can be read back without a log daemon; but every call reaches the C library. */
    @Test
    void callsTheSystemLog() {
        assertThatCode(
                        () -> {
                            SystemLog system = new SystemLog();
                            for (LogLevel level : LogLevel.values()) {
                                system.write(level, "a test of farheap's agent: 100 %s %n");
                            }
                            system.close();
                        })
                .doesNotThrowAnyException();
    }
}
