package io.farheap.tools.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ObjectPool;
import io.farheap.PoolOptions;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.PersistenceDomain;
import io.farheap.layout.Descriptor;
import io.farheap.pool.PoolSource;
import io.farheap.pool.RestorationLeftovers;
import io.farheap.tools.command.LongWork;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Parts that fitted together when the plan was made are something else by now. */
class SecondLookTest {
    @TempDir Path dir;
    private Path set;
    private SyncRun run;
    private SyncPlan plan;
    private byte[] lost;
    private Path left;

    @BeforeEach
    void aPlan() throws Exception {
        set = dir.resolve("r.set");
        String lines = "PMEMPOOLSET\n4M @a\n3M @b\n3M @c\nREPLICA\n4M @d\n3M @e\n3M @f\n";
        Files.writeString(set, lines.replace("@", dir + "/"));
        PoolOptions pages = PoolOptions.builder().persistence(PersistenceDomain.PAGE_CACHE).build();
        ObjectPool.at(set).layout("x").options(pages).create().close();
        lost = Files.readAllBytes(dir.resolve("b"));
        left = RestorationLeftovers.unfinished(dir.resolve("d"));
        Files.copy(dir.resolve("d"), left); // a whole copy, of the same run
        Files.delete(dir.resolve("b"));
        Files.delete(dir.resolve("f"));
        run = new SyncRun(PoolSource.of(set), SyncOptions.NONE, new LongWork());
        plan = run.plan(said -> {});
        assertThat(plan.combinesParts()).isTrue();
    }

    @AfterEach
    void close() {
        run.close();
    }

    private void refused(String... words) throws IOException {
        assertThatThrownBy(() -> run.run(plan, step -> {}))
                .isInstanceOf(FarheapException.class)
                .hasMessageContainingAll(words)
                .extracting("category")
                .isEqualTo(Category.ENVIRONMENT);
        assertThat(left).as("it gave way to nothing").exists();
        assertThat(dir.resolve("f")).doesNotExist();
    }

    @Test
    void whatWasLostIsBack() throws IOException {
        Files.write(dir.resolve("b"), lost);
        refused(dir.resolve("b") + " was made by somebody else", "nothing was changed");
        assertThat(dir.resolve("b")).hasBinaryContent(lost);
    }

    /** In both, which have the same bytes: as after a run that had all parts, and was cut. */
    @Test
    void thePoolWasOpenMeanwhile() throws IOException {
        for (String first : new String[] {"a", "d"}) {
            byte[] bytes = Files.readAllBytes(dir.resolve(first));
            bytes[(int) Descriptor.RUN_ID] ^= 2;
            Files.write(dir.resolve(first), bytes);
        }
        refused(dir.resolve("a") + " is not what it was when the plan was made", "sync again");
    }

    @Test
    void nothingChangedMeanwhile() throws IOException {
        assertThat(run.run(plan, step -> {})).isEmpty();
        assertThat(dir.resolve("b")).exists();
        assertThat(dir.resolve("f")).exists();
    }
}
