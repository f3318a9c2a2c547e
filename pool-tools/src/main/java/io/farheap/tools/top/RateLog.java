package io.farheap.tools.top;

import io.farheap.base.FarheapException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalLong;

/** The lines that {@code farheap top} writes where its output is no terminal, read again. */
public final class RateLog {
    /** More than a line each second for a week. */
    private static final int MOST_BYTES = 128 << 20;

    /** Of the version before, which did not tell how long commits take. */
    private static final String TITLES_BEFORE =
            "time      commits/s  aborts/s  fences/commit  syncs/s  replica-MB/s  attached "
                    + " lag-bytes";

    private static final List<String> TITLES = List.of(RateLine.TITLES, TITLES_BEFORE);

    /** What lines say that versions before wrote here, and not to standard error, at the end. */
    private static final List<String> ENDED =
            List.of("ended or closed it meanwhile", "lets one go on that is stopped");

    private RateLog() {}

    /**
     * One line.
     *
     * @param commitsPerSecond as it was rounded
     * @param attached how many remote replicas had every commit, or lagged by policy
     * @param copies how many there are
     * @param lagBytes of all of them; empty where that was not known
     */
    public record Look(
            LocalTime time,
            double commitsPerSecond,
            int attached,
            int copies,
            OptionalLong lagBytes) {}

    /**
     * All looks, at least one, in the order in which they are there.
     *
     * @param pool whose they should be, for messages
     * @throws FarheapException which names the file where it can't be read (ENVIRONMENT), is no
     *     such file, or is cut (BAD_DATA)
     */
    public static List<Look> read(Path file, Path pool) {
        String text = text(file);
        if (TITLES.stream().noneMatch(titles -> text.startsWith(titles + "\n"))) {
            throw FarheapException.badData(
                    "%s has no lines of farheap top: write such to a new file, farheap top %s > %s",
                    file, pool, unused(pool));
        }
        if (!text.endsWith("\n")) {
            throw FarheapException.badData(
                    "%s is cut: its last line has no end; where farheap top still writes it, try"
                            + " again, else take that line out",
                    file);
        }
        List<Look> looks = looks(file, text.lines().iterator());
        if (looks.isEmpty()) {
            throw FarheapException.badData("%s has only the titles of farheap top yet", file);
        }
        return looks;
    }

    /** Where nothing is yet that the shell would cut. */
    private static String unused(Path pool) {
        String name = pool.getFileName() + ".top";
        for (int number = 2; Files.exists(Path.of(name), LinkOption.NOFOLLOW_LINKS); number++) {
            name = pool.getFileName() + ".top-" + number;
        }
        return name;
    }

    private static String text(Path file) {
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(MOST_BYTES + 1);
        } catch (IOException e) {
            String why =
                    switch (e) {
                        case NoSuchFileException missing -> "there is no such file";
                        case AccessDeniedException forbidden -> "permission denied";
                        default -> e.getMessage();
                    };
            throw FarheapException.environment(e, "%s can't be read: %s", file, why);
        }
        if (bytes.length > MOST_BYTES) {
            throw FarheapException.badData(
                    "%s has more than %s MiB: give the titles and the last lines of it",
                    file, MOST_BYTES >> 20);
        }
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private static List<Look> looks(Path file, Iterator<String> lines) {
        List<Look> looks = new ArrayList<>();
        int fields = 0;
        for (int number = 1; lines.hasNext(); number++) {
            String line = lines.next();
            if (TITLES.contains(line)) {
                fields = line.split(" +").length; // also of another run, which was appended
                continue;
            }
            if (ENDED.stream().anyMatch(line::contains)) {
                continue;
            }
            try {
                looks.add(look(line.strip().split(" +", -1), fields));
            } catch (DateTimeException | IllegalArgumentException e) {
                throw FarheapException.badData(
                        e, "%s:%s: no line of farheap top: \"%s\"", file, number, shown(line));
            }
        }
        return looks;
    }

    /**
     * @param count how many titles are above it
     */
    private static Look look(String[] fields, int count) {
        if (fields.length != count) {
            throw new IllegalArgumentException(Arrays.toString(fields));
        }
        String[] attached = fields[6].split("/", -1);
        if (attached.length != 2) {
            throw new IllegalArgumentException(fields[6]);
        }
        long copies = notNegative(Integer.parseInt(attached[1]));
        long there = notNegative(Integer.parseInt(attached[0]));
        if (there > copies) {
            throw new IllegalArgumentException(fields[6]);
        }
        String lag = fields[7];
        for (int i = 8; i < count; i++) {
            if (!fields[i].equals("-")) {
                double unused = rate(fields[i]);
            }
        }
        return new Look(
                LocalTime.parse(fields[0]),
                rate(fields[1]),
                (int) there,
                (int) copies,
                lag.equals("unknown") || lag.equals("-")
                        ? OptionalLong.empty()
                        : OptionalLong.of(notNegative(Long.parseLong(lag))));
    }

    private static double rate(String text) {
        double value = Double.parseDouble(text);
        if (!(value >= 0 && value < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("no rate: " + value);
        }
        return value;
    }

    private static long notNegative(long value) {
        if (value < 0) {
            throw new IllegalArgumentException("negative: " + value);
        }
        return value;
    }

    private static String shown(String line) {
        String begin = line.length() <= 80 ? line : line.substring(0, 80) + "…";
        return begin.replaceAll("\\p{Cntrl}", "?"); // it may be meant for the terminal
    }
}
