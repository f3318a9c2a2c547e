package io.farheap.replication.control;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What this machine calls itself, for messages. The system alone is asked: a resolver, as the JDK
 * asks it even for the own name, may lie behind the same broken network, and answers a node that
 * takes over by nothing for many seconds.
 */
public final class HostName {
    private static final Path KERNELS = Path.of("/proc/sys/kernel/hostname");
    private static final String UNSET = "(none)";

    private static final String HERE =
            kernels()
                    .or(
                            () ->
                                    Stream.of("COMPUTERNAME", "HOSTNAME")
                                            .map(System::getenv)
                                            .filter(name -> name != null && !name.isBlank())
                                            .findFirst())
                    .orElse("a host without a name");

    private HostName() {}

    /** Never empty. */
    public static String here() {
        return HERE;
    }

    private static Optional<String> kernels() {
        try {
            return Optional.of(Files.readString(KERNELS).strip())
                    .filter(name -> !name.isEmpty() && !name.equals(UNSET));
        } catch (IOException e) {
            return Optional.empty(); // not Linux, or one that shows no /proc
        }
    }
}
