package io.farheap.testing.mutation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The committed table has a row for each place of the compiled product, and no other. */
class MutationTableTest {
    @Test
    void somethingFailsWithoutEach() throws Exception {
        assertThat(Files.readAllLines(MutationTest.TABLE))
                .filteredOn(MutationTable::isRow)
                .allMatch(row -> !MutationTable.isUnshown(row));
    }

    @Test
    void everyFlushFenceAndChecksumHasItsRow() throws Exception {
        List<String> rows = new ArrayList<>(Files.readAllLines(MutationTest.TABLE));
        rows.removeIf(line -> !MutationTable.isRow(line));
        List<CallSite> sites = CallSite.all(MutationTest.classes());

        List<String> missing = new ArrayList<>();
        for (CallSite site : sites) {
            String start = MutationTable.start(site);
            boolean there = rows.removeIf(row -> row.startsWith(start));
            if (!there) {
                missing.add(start);
            }
        }

        assertThat(sites).hasSizeGreaterThan(50);
        assertThat(missing)
                .as("no row: run mvn verify -Pmutation, see docs/mutations.md")
                .isEmpty();
        assertThat(rows).as("rows of nothing").isEmpty();
    }
}
