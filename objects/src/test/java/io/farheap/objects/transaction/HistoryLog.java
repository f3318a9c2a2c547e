package io.farheap.objects.transaction;

/** Hears of the transactions of a {@link HistoryRecorder}, each in its own thread. */
interface HistoryLog {
    HistoryLog NONE =
            new HistoryLog() {
                @Override
                public void aboutToCommit(RecordedTransaction tx) {}

                @Override
                public void ended(RecordedTransaction tx) {}
            };

    /** The body is through, and may run again. */
    void aboutToCommit(RecordedTransaction tx);

    /** It has returned, or thrown. */
    void ended(RecordedTransaction tx);
}
