package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.StatisticsMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each query below was put to libpmemobj 1.12 too, which takes and refuses the same ones. */
class ControlQueriesTest {
    private static final PoolOptions NONE = PoolOptions.defaults();

    private static PoolOptions variable(String queries) {
        return ControlQueries.ofEnvironment(NONE, Map.of("PMEMOBJ_CONF", queries));
    }

    private static PoolOptions file(Path directory, String text) throws IOException {
        Path file = Files.writeString(directory.resolve("conf"), text);
        return ControlQueries.ofEnvironment(NONE, Map.of("PMEMOBJ_CONF_FILE", file.toString()));
    }

    @Test
    void everyNameThatCanBeSetSetsItsOption() {
        PoolOptions set =
                variable(
                        "prefault.at_create=1;prefault.at_open=yes;sds.at_create=0"
                                + ";copy_on_write.at_open=1;fallocate.at_create=No;"
                                + "heap.arenas_assignment_type=global;heap.arenas_default_max=3;"
                                + "heap.size.granularity=0x400000;stats.enabled=persistent;"
                                + "tx.cache.size=010000;tx.debug.skip_expensive_checks=1;"
                                + "tx.debug.verify_user_buffers=y;debug.heap.alloc_pattern=-7;"
                                + "tx.cache.threshold=1;tx.post_commit.queue_depth=2");
        assertThat(set.prefaultAtCreate()).isTrue();
        assertThat(set.prefaultAtOpen()).isTrue();
        assertThat(set.shutdownState()).isFalse();
        assertThat(set.copyOnWrite()).isTrue();
        assertThat(set.allocatedSpace()).isFalse();
        assertThat(set.oneArenaForAll()).isTrue();
        assertThat(set.arenas()).isEqualTo(3);
        assertThat(set.granularity()).isEqualTo(0x400000);
        assertThat(set.statistics()).isEqualTo(StatisticsMode.PERSISTENT);
        assertThat(set.undoExtensionBytes()).isEqualTo(4096);
        assertThat(set.allocationPattern()).isEqualTo(-7);
        assertThat(NONE.prefaultAtCreate()).as("options are immutable").isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "stats.enabled=both",
                "stats.enabled=both;",
                "stats.enabled==both",
                ";;stats.enabled=1",
                "stats.enabled=yes indeed",
                "stats.enabled=disabled;stats.enabled=both",
            })
    void waysToSayIt(String queries) {
        assertThat(variable(queries).statistics()).isEqualTo(StatisticsMode.BOTH);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                " stats.enabled=both",
                "stats.enabled=bogus",
                "stats.enabled=2",
                "stats.enabled",
                "=1",
                "stats.enabled=both=both",
                "nope=1",
                "heap.size.granularity=1000",
                "heap.size.granularity=-5",
                "heap.size.granularity=4M",
                "heap.size.extend=4194304",
                "heap.arena.create=1",
                "heap.narenas.total=1",
                "stats.heap.curr_allocated=1",
                "heap.arenas_assignment_type=0",
                "heap.arenas_default_max=0",
                "tx.cache.size=-1",
                "prefault.at_open=x",
                "debug.heap.alloc_pattern=99999999999",
                "heap.thread.arena_id=0",
                "heap.alloc_class.255.desc=512,0,1000,none",
                "heap.alloc_class.new.desc=512,0,1000",
                "heap.alloc_class.new.desc=512,0,1000,foo",
                "heap.alloc_class.99999999999.desc=512,0,1000,none",
            })
    void whatIsNotPossibleIsRefusedByName(String query) {
        assertThatThrownBy(() -> variable("stats.enabled=both;" + query))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("PMEMOBJ_CONF: the query \"" + query + "\"")
                .extracting(e -> ((FarheapException) e).category())
                .isEqualTo(Category.WRONG_USE);
    }

    @Test
    void aFileHasCommentsBlanksAndLines(@TempDir Path directory) throws IOException {
        PoolOptions set =
                file(
                        directory,
                        "# what\n stats . enabled = both ;\r\n\t# x ; y=z\n"
                                + "heap.size.granularity = 0x400000 # four MiB\n");
        assertThat(set.statistics()).isEqualTo(StatisticsMode.BOTH);
        assertThat(set.granularity()).isEqualTo(0x400000);

        assertThatThrownBy(() -> file(directory, "stats.enabled=both;\nnope=1\n"))
                .hasMessageContaining("PMEMOBJ_CONF_FILE " + directory)
                .hasMessageContaining("\"nope=1\"");
    }

    @Test
    void theFileComesAfterTheVariableAndMustBeReadable(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("conf"), "stats.enabled=disabled");
        Map<String, String> both =
                Map.of(
                        "PMEMOBJ_CONF",
                        "stats.enabled=both;tx.cache.size=2000",
                        "PMEMOBJ_CONF_FILE",
                        file.toString());
        PoolOptions set = ControlQueries.ofEnvironment(NONE, both);
        assertThat(set.statistics()).isEqualTo(StatisticsMode.DISABLED);
        assertThat(set.undoExtensionBytes()).isEqualTo(2000);
        Files.delete(file);
        assertThatThrownBy(() -> ControlQueries.ofEnvironment(NONE, both))
                .hasMessageContaining(file + ", which can't be read");
    }

    @Test
    void nothingSaidLeavesTheProgramsOptions() {
        PoolOptions programs = PoolOptions.builder().undoExtensionBytes(5000).build();
        assertThat(ControlQueries.ofEnvironment(programs, Map.of())).isSameAs(programs);
        assertThat(programs.withQueries("stats.enabled=both").undoExtensionBytes()).isEqualTo(5000);
        assertThatThrownBy(() -> programs.withQueries("nope=1")).hasMessageContaining("nope=1");
    }
}
