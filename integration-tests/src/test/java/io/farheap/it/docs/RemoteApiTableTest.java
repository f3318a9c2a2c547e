package io.farheap.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.remote.RemotePool;
import java.io.IOException;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The table of librpmem's API has no hole, and what it names is there. */
class RemoteApiTableTest {
    /** For nothing else may Java offer none. */
    private static final Pattern MAY_BE_MISSING =
            Pattern.compile(
                    "rpmem_(check_version|errormsg)|RPMEM_(ENABLE|WORK_QUEUE|LOG)_.*"
                            + "|BADNLANES|BADPROVIDER|PROVNOSUP");

    private static ApiTable table;

    @BeforeAll
    static void read() throws IOException {
        table = new ApiTable("librpmem.md", "io.farheap.remote.", List.of(RemotePool.class));
    }

    @Test
    void everyNameHasARowAndEveryRowAName() throws IOException {
        table.assertHasRowsOf("librpmem-names.txt", 12 + 4 + 10 + 8 + 13);
    }

    @Test
    void everyRowAnswers() {
        table.forEachRow(
                (name, row) -> {
                    if (row.isNone()) {
                        assertThat(name).matches(MAY_BE_MISSING);
                        assertThat(row.reason()).as(name).isNotBlank();
                    } else {
                        assertThat(row.types()).as(name).isNotEmpty();
                        assertThat(row.tests()).as("tests of " + name).isNotEmpty();
                    }
                });
    }

    @Test
    void everyNamedMemberIsThereAndUsedByANamedTest() {
        table.assertNamedMembersAreThere();
        table.assertNamedMembersAreUsedByANamedTest();
    }
}
