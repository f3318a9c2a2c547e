package io.farheap.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ManualTransaction;
import io.farheap.ObjectPool;
import io.farheap.pmemobj.Actions;
import io.farheap.pmemobj.PoolLocks;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The table of libpmemobj's API has no hole, and what it names is there. */
class ApiTableTest {
    /** Whose methods give out what the table names. */
    private static final List<Class<?>> SOURCES =
            List.of(ObjectPool.class, PoolLocks.class, ManualTransaction.class, Actions.class);

    /** For nothing else may Java offer none. */
    private static final Map<String, Pattern> MAY_BE_MISSING =
            Map.of(
                    "typing", Pattern.compile("TOID.*|OID_INSTANCEOF|POBJ_LAYOUT_.*"),
                    "set_funcs", Pattern.compile("pmemobj_set_funcs"),
                    "check_version", Pattern.compile("pmemobj_check_version"),
                    "log buffers", Pattern.compile(".*LOG_APPEND_BUFFER.*|.*log_append_buffer"),
                    "CPU tuning", Pattern.compile("PMEM_(NO_|MOVNT|AVX|MOVDIR|WC_).*"));

    private static ApiTable table;

    @BeforeAll
    static void read() throws IOException {
        table = new ApiTable("libpmemobj.md", "io.farheap.", SOURCES);
    }

    @Test
    void everyNameHasARowAndEveryRowAName() throws IOException {
        table.assertHasRowsOf("libpmemobj-names.txt", 106 + 145 + 30 + 18);
    }

    @Test
    void everyRowAnswers() {
        table.forEachRow(
                (name, row) -> {
                    if (row.isNone()) {
                        assertThat(MAY_BE_MISSING).as(name).containsKey(row.reason());
                        assertThat(name).matches(MAY_BE_MISSING.get(row.reason()));
                    } else {
                        assertThat(row.types()).as(name).isNotEmpty();
                        assertThat(row.tests()).as("tests of " + name).isNotEmpty();
                    }
                });
    }

    @Test
    void everyNamedMethodIsThere() {
        table.assertNamedMembersAreThere();
    }

    @Test
    void everyNamedMethodIsUsedByANamedTest() {
        table.assertNamedMembersAreUsedByANamedTest();
    }
}
