package io.farheap.agent.log;

import io.farheap.agent.config.AgentConfiguration;
import io.farheap.agent.config.AgentConfiguration.LogLevel;
import io.farheap.agent.config.ConfigurationValues;
import io.farheap.base.FarheapException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * What the agent tells the target's operator: the system log or a file, by configuration. Standard
 * error is used by an agent that listens only: else it belongs to the initiator, as the error
 * message when the agent dies early. Thread-safe.
 */
public final class AgentLog implements AutoCloseable {
    /** Where finished lines go. */
    public interface Sink extends AutoCloseable {
        /** Takes one line, without control characters and line break. On any thread. */
        void write(LogLevel level, String message);

        /** Lets the file or the socket go; nothing is written after that. */
        @Override
        void close();
    }

    private final LogLevel most;
    private final Sink sink;

    /**
     * A log into any sink, which is closed with it.
     *
     * @param most what is less urgent than that is left out
     */
    public AgentLog(LogLevel most, Sink sink) {
        this.most = most;
        this.sink = sink;
    }

    /** Opens what the configuration names; a log file that can't be opened is an error. */
    public static AgentLog open(AgentConfiguration configuration) {
        Sink sink = sink(configuration);
        return new AgentLog(configuration.logLevel(), sink);
    }

    private static Sink sink(AgentConfiguration configuration) {
        if (configuration.useSyslog()) {
            return new SystemLog();
        }
        return configuration.logFile() == null ? new ServiceSink() : new FileSink(configuration);
    }

    /**
     * Tells of something that failed and that the operator has to look at.
     *
     * @param cause its text follows the message, in the same line; null: none
     */
    public void error(String message, Throwable cause) {
        log(LogLevel.ERR, message + (cause == null ? "" : " [" + cause + "]"));
    }

    /** Tells of something that is not as it should be, while the agent goes on. */
    public void warn(String message) {
        log(LogLevel.WARN, message);
    }

    /** Tells of something ordinary that the operator may be looking for. */
    public void notice(String message) {
        log(LogLevel.NOTICE, message);
    }

    /** Tells of something ordinary that explains others at most. */
    public void info(String message) {
        log(LogLevel.INFO, message);
    }

    private void log(LogLevel level, String message) {
        if (level.compareTo(most) <= 0) {
            // One entry is one line, whatever an initiator had us quote.
            sink.write(level, message.replaceAll("\\p{Cntrl}", "?"));
        }
    }

    @Override
    public void close() {
        sink.close();
    }

    /** Who started the service keeps it, and knows the time. */
    private static final class ServiceSink implements Sink {
        @Override
        public void write(LogLevel level, String message) {
            System.err.println(ConfigurationValues.textOf(level) + ": " + message);
        }

        @Override
        public void close() {}
    }

    private static final class FileSink implements Sink {
        private final PrintStream file;

        FileSink(AgentConfiguration configuration) {
            try {
                file =
                        new PrintStream(
                                Files.newOutputStream(
                                        configuration.logFile(),
                                        StandardOpenOption.CREATE,
                                        StandardOpenOption.APPEND),
                                true,
                                StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw FarheapException.environment(
                        e,
                        "Cannot open the log file %s: %s. Set log-file to one that can be"
                                + " written.",
                        configuration.logFile(),
                        e.getMessage());
            }
        }

        @Override
        public void write(LogLevel level, String message) {
            file.println(
                    Instant.now().truncatedTo(ChronoUnit.MILLIS)
                            + " ["
                            + ProcessHandle.current().pid()
                            + "] "
                            + ConfigurationValues.textOf(level)
                            + ": "
                            + message);
        }

        @Override
        public void close() {
            file.close();
        }
    }
}
