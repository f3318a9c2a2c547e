package io.farheap.live;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A poolset file that a program has read again.
 *
 * @param file as the program names it
 * @param replicas the remote ones, as it has taken them up, in the order of the file
 */
public record ReloadedFile(String file, List<String> replicas) {
    public ReloadedFile {
        replicas = List.copyOf(replicas);
    }

    /** A line for each. */
    String text() {
        return String.join("\n", Stream.concat(Stream.of(file), replicas.stream()).toList());
    }

    /** Empty where it is no such text. */
    static Optional<ReloadedFile> parse(String text) {
        List<String> lines = text.lines().toList();
        return lines.isEmpty()
                ? Optional.empty()
                : Optional.of(new ReloadedFile(lines.get(0), lines.subList(1, lines.size())));
    }
}
