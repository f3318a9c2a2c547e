package io.farheap.objects.transaction;

import java.io.IOException;
import java.nio.file.Path;

/** Opens a pool, reads all of it, and changes it in several threads until it is killed. */
final class HistoryProgram {
    private static final int MORE_THAN_CAN_BE = 1_000_000;

    private HistoryProgram() {}

    /**
     * @param args the pool, a directory for the history, the number of the round, how many threads,
     *     a seed, the kind of what the pool has
     */
    public static void main(String[] args) throws IOException {
        int round = Integer.parseInt(args[2]);
        HistoryGround.Kind kind = HistoryGround.Kind.valueOf(args[5]);
        try (HistoryGround ground = HistoryGround.open(kind, Path.of(args[0]));
                FileHistoryLog log = new FileHistoryLog(Path.of(args[1]))) {
            HistoryRecorder recorder = recorder(ground, log, round);
            RecordedTransaction unused = recorder.readAll("round " + round);
            throw new AssertionError(
                    "not killed, but through "
                            + recorder.record(
                                    Integer.parseInt(args[3]),
                                    MORE_THAN_CAN_BE,
                                    Long.parseLong(args[4])));
        }
    }

    /** With tickets and values after all of the rounds before. */
    static HistoryRecorder recorder(HistoryGround ground, HistoryLog log, int round) {
        return ground.recorder("round " + round + " ", log, ticketsBefore(round));
    }

    /** More than the tickets and values of all rounds before. */
    static long ticketsBefore(int round) {
        return (long) round << 32;
    }
}
