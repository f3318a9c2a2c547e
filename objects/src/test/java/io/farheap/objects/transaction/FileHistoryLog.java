package io.farheap.objects.transaction;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A history in files, one for each thread: what was written to them is there whatever kills the
 * process. A line for each transaction that is about to commit, and one when it has ended:
 *
 * <pre>
 *     about to commit;NAME;BEGIN;0;CELL=VALUE,CELL=VALUE;CELL=VALUE
 *     committed;NAME;BEGIN;END;...        (reads, then writes), or aborted;...
 * </pre>
 */
final class FileHistoryLog implements HistoryLog, AutoCloseable {
    private static final String ABOUT_TO_COMMIT = "about to commit";
    private static final String COMMITTED = "committed";
    private static final String ABORTED = "aborted";

    private final Path directory;
    private final Map<Thread, FileChannel> files = new HashMap<>();

    FileHistoryLog(Path directory) {
        this.directory = directory;
    }

    @Override
    public void aboutToCommit(RecordedTransaction tx) {
        write(ABOUT_TO_COMMIT, tx);
    }

    @Override
    public void ended(RecordedTransaction tx) {
        write(tx.committed ? COMMITTED : ABORTED, tx);
    }

    private void write(String what, RecordedTransaction tx) {
        String line =
                String.join(
                        ";",
                        what,
                        tx.name,
                        Long.toString(tx.begin),
                        Long.toString(tx.end),
                        text(tx.reads),
                        text(tx.writes));
        try {
            int unused =
                    file().write(ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String text(Map<Integer, Long> cells) {
        return cells.entrySet().stream()
                .map(cell -> cell.getKey() + "=" + cell.getValue())
                .collect(Collectors.joining(","));
    }

    private synchronized FileChannel file() throws IOException {
        FileChannel file = files.get(Thread.currentThread());
        if (file == null) {
            file =
                    FileChannel.open(
                            Files.createTempFile(directory, "thread", ""),
                            StandardOpenOption.APPEND);
            files.put(Thread.currentThread(), file);
        }
        return file;
    }

    @Override
    public synchronized void close() throws IOException {
        for (FileChannel file : files.values()) {
            file.close();
        }
    }

    // ---- what is in the files ----

    /** All transactions of the files below a directory that ended. */
    static List<RecordedTransaction> ended(Path directory) throws IOException {
        List<RecordedTransaction> ended = new ArrayList<>();
        for (String[] line : lines(directory)) {
            if (!line[0].equals(ABOUT_TO_COMMIT)) {
                ended.add(transaction(line));
            }
        }
        return ended;
    }

    /** Those that were about to commit, as they were the last time, and did not end. */
    static Collection<RecordedTransaction> underWay(Path directory) throws IOException {
        Map<String, RecordedTransaction> underWay = new LinkedHashMap<>();
        for (String[] line : lines(directory)) {
            if (line[0].equals(ABOUT_TO_COMMIT)) {
                underWay.put(line[1], transaction(line));
            } else {
                underWay.remove(line[1]);
            }
        }
        return underWay.values();
    }

    private static List<String[]> lines(Path directory) throws IOException {
        List<String[]> lines = new ArrayList<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.sorted().toList()) {
                String text = Files.readString(file);
                String whole = text.substring(0, text.lastIndexOf('\n') + 1);
                whole.lines().forEach(line -> lines.add(line.split(";", -1)));
            }
        }
        return lines;
    }

    private static RecordedTransaction transaction(String[] line) {
        RecordedTransaction tx = new RecordedTransaction(line[1], Long.parseLong(line[2]));
        tx.end = Long.parseLong(line[3]);
        tx.committed = line[0].equals(COMMITTED);
        tx.reads.putAll(cells(line[4]));
        tx.writes.putAll(cells(line[5]));
        return tx;
    }

    private static Map<Integer, Long> cells(String text) {
        return Stream.of(text.split(","))
                .filter(cell -> !cell.isEmpty())
                .map(cell -> cell.split("="))
                .collect(
                        Collectors.toMap(
                                cell -> Integer.valueOf(cell[0]), cell -> Long.valueOf(cell[1])));
    }
}
