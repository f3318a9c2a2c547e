package io.farheap.tools.demo;

import io.farheap.tools.demo.CharacterPool.Found;
import io.farheap.tools.demo.UnicodeCharacters.Entry;
import java.util.ArrayList;
import java.util.List;

/**
 * What a pool holds against what was acknowledged.
 *
 * @param summary one line for a person
 * @param problems what is wrong, empty if nothing
 */
record DemoResult(String summary, List<String> problems) {
    private static final String BEYOND = " (more were on their way back when the kill came)";

    /**
     * @param acknowledged how many transactions had returned, which are the first ones
     */
    static DemoResult of(CharacterPool pool, int acknowledged) {
        List<Found> found = pool.all();
        List<List<Entry>> columns = UnicodeCharacters.columns();
        List<String> problems = new ArrayList<>();
        long transactions = pool.columns();
        if (transactions < acknowledged) {
            problems.add((acknowledged - transactions) + " acknowledged transactions are missing");
        }
        int half = compare(found, columns, transactions, problems);
        if (pool.records() != found.size()) {
            problems.add(
                    "the root counts " + pool.records() + " records, the list has " + found.size());
        }
        if (pool.allocatedRecords() != found.size()) {
            problems.add(
                    "the heap has "
                            + pool.allocatedRecords()
                            + " records, the list has "
                            + found.size());
        }
        String summary =
                transactions
                        + " transactions with "
                        + found.size()
                        + " records; acknowledged: "
                        + acknowledged
                        + (transactions > acknowledged ? BEYOND : "")
                        + "; half transactions: "
                        + half;
        return new DemoResult(summary, List.copyOf(problems));
    }

    /** Compares record by record; returns how many columns are there in part. */
    private static int compare(
            List<Found> found,
            List<List<Entry>> columns,
            long transactions,
            List<String> problems) {
        int half = 0;
        int next = 0;
        for (int c = 0; c < columns.size(); c++) {
            int first = next;
            while (next < found.size() && found.get(next).column() == c) {
                next++;
            }
            List<Entry> entries = found.subList(first, next).stream().map(Found::entry).toList();
            List<Entry> expected = c < transactions ? columns.get(c) : List.of();
            if (!entries.equals(expected)) {
                half += !entries.isEmpty() && entries.size() < columns.get(c).size() ? 1 : 0;
                problems.add(
                        "transaction "
                                + (c + 1)
                                + " has "
                                + entries.size()
                                + " records, expected are "
                                + expected.size()
                                + ", or they differ");
            }
        }
        if (next < found.size()) {
            problems.add("record " + (next + 1) + " is out of order");
        }
        return half;
    }
}
