package io.farheap.it.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ManualTransaction;
import io.farheap.ObjectPool;
import io.farheap.Transaction;
import io.farheap.TransactionOptions;
import io.farheap.base.AllocationOptions;
import io.farheap.base.FailureBehavior;
import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random sequences of begin, commit, abort, process and end, of failing calls and of the settings
 * around them: after each call libpmemobj is in the same stage, with the same errno, and the pool
 * holds the same.
 */
class TransactionStagesNativeTest {
    private static final int SCRIPTS = 40;
    private static final int CALLS = 120;
    private static final int MOST_LEVELS = 5;

    @TempDir Path directory;

    @BeforeAll
    static void needTheNativeLibrary() {
        NativeJudge.require();
    }

    @Test
    void theCLibraryGoesThroughTheSameStages() {
        long seed = 20261123;
        int told = 0;
        for (int i = 0; i < SCRIPTS; i++) {
            Path here = directory.resolve("java" + i);
            Path there = directory.resolve("c" + i);
            ObjectPool.at(there).layout("stages").size(8 << 20).create().close();
            Player player;
            try (ObjectPool pool = ObjectPool.at(here).layout("stages").size(8 << 20).create()) {
                player = new Player(pool, new Random(seed + i));
                player.play();
            }
            NativeJudge.Answer answer =
                    NativeJudge.judge("stages", there.toString(), player.script.toString());
            assertThat(answer.out().lines().toList())
                    .as("script %s, seed %d, %s", player.script, seed + i, answer.err())
                    .isEqualTo(player.lines);
            assertThat(answer.exitCode()).isZero();
            told += (int) player.lines.stream().filter(line -> line.startsWith("told")).count();
        }
        assertThat(told).as("callbacks").isGreaterThan(100);
    }

    /** Makes a script up call by call, each one allowed in the stage it finds, and plays it. */
    private static final class Player {
        private final ObjectPool pool;
        private final Random random;
        private final Ref root;
        private final Deque<ManualTransaction> levels = new ArrayDeque<>();
        private final StringBuilder script = new StringBuilder();
        private final List<String> lines = new ArrayList<>();
        private final TransactionOptions tells;
        private long count;

        Player(ObjectPool pool, Random random) {
            this.pool = pool;
            this.random = random;
            this.root = pool.root(64);
            this.tells =
                    TransactionOptions.DEFAULT.callback(
                            stage -> lines.add("told " + stage.ordinal()));
        }

        void play() {
            while (count < CALLS || !levels.isEmpty()) {
                String letters =
                        switch (pool.transactions().stage()) {
                            case NONE -> levels.isEmpty() ? "bB" : "e";
                            case WORK -> count < CALLS ? working() : "ca";
                            case ONCOMMIT, ONABORT, FINALLY -> "pee";
                        };
                play(letters.charAt(random.nextInt(letters.length())));
            }
        }

        private String working() {
            return levels.size() < MOST_LEVELS ? "bbBcapxnrfguUvvvv" : "capxnrfguUvvvv";
        }

        private void play(char letter) {
            count++;
            script.append(letter);
            long result = 0;
            switch (letter) {
                case 'b' -> levels.push(pool.begin());
                case 'B' -> levels.push(pool.begin(tells));
                case 'c' -> levels.element().commit();
                case 'a' -> {
                    int code = random.nextInt(10);
                    script.append(code);
                    levels.element().abort(code);
                }
                case 'p' -> levels.element().process();
                case 'e' -> result = levels.pop().end();
                default -> result = work(letter);
            }
            lines.add(
                    "%s %d %d %d %d"
                            .formatted(
                                    letter,
                                    pool.transactions().stage().ordinal(),
                                    levels.isEmpty() ? 0 : levels.element().errorCode(),
                                    pool.getLong(root, 0),
                                    result));
        }

        private long work(char letter) {
            Transaction tx = levels.element().transaction();
            switch (letter) {
                case 'x' -> failingAllocation(AllocationOptions.DEFAULT);
                case 'n' -> failingAllocation(AllocationOptions.DEFAULT.withoutAbort());
                case 'r' -> tx.setFailureBehavior(FailureBehavior.RETURN);
                case 'f' -> tx.setFailureBehavior(FailureBehavior.ABORT);
                case 'g' -> {
                    return tx.failureBehavior().ordinal();
                }
                case 'u' -> tx.setUserData(count);
                case 'U' -> {
                    return tx.userData() == null ? 0 : (long) tx.userData();
                }
                case 'v' -> tx.snapshot(root, 0, 8).set(ValueLayout.JAVA_LONG, 0, count);
                default -> throw new AssertionError(letter);
            }
            return 0;
        }

        private void failingAllocation(AllocationOptions options) {
            try {
                Ref unexpected = levels.element().transaction().allocate(0, 1, options);
                throw new AssertionError(unexpected);
            } catch (FarheapException e) {
                assertThat(e.category()).isEqualTo(FarheapException.Category.WRONG_USE);
            }
        }
    }
}
