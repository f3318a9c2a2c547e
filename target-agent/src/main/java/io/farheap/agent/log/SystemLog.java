package io.farheap.agent.log;

import io.farheap.agent.config.AgentConfiguration.LogLevel;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** syslog(3) of the C library; where no log daemon runs its entries are dropped. */
final class SystemLog implements AgentLog.Sink {
    private static final int LOG_PID = 1;
    private static final int LOG_DAEMON = 3 << 3;

    private final MemorySegment identity = Arena.global().allocateFrom("farheap-agent");
    private final MemorySegment format = Arena.global().allocateFrom("%s");
    private final MethodHandle syslog;
    private final MethodHandle closelog;

    SystemLog() {
        Linker linker = Linker.nativeLinker();
        MethodHandle openlog =
                linker.downcallHandle(
                        linker.defaultLookup().findOrThrow("openlog"),
                        FunctionDescriptor.ofVoid(
                                ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        syslog =
                linker.downcallHandle(
                        linker.defaultLookup().findOrThrow("syslog"),
                        FunctionDescriptor.ofVoid(
                                ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS),
                        Linker.Option.firstVariadicArg(2));
        closelog =
                linker.downcallHandle(
                        linker.defaultLookup().findOrThrow("closelog"),
                        FunctionDescriptor.ofVoid());
        call(
                () -> {
                    openlog.invokeExact(identity, LOG_PID, LOG_DAEMON);
                });
    }

    @Override
    public void write(LogLevel level, String message) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(message);
            call(
                    () -> {
                        syslog.invokeExact(priority(level), format, text);
                    });
        }
    }

    @Override
    public void close() {
        call(
                () -> {
                    closelog.invokeExact();
                });
    }

    private static int priority(LogLevel level) {
        return switch (level) {
            case ERR -> 3;
            case WARN -> 4;
            case NOTICE -> 5;
            case INFO -> 6;
            case DEBUG -> 7;
        };
    }

    private interface NativeCall {
        void run() throws Throwable;
    }

    private static void call(NativeCall call) {
        try {
            call.run();
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("a call of the C library's log failed", e);
        }
    }
}
