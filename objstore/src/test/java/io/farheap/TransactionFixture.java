package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.Ref;
import io.farheap.engine.TxSettings;
import io.farheap.testing.CrashSimulation;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** A pool in simulated memory, and what tests of transactions say again and again. */
abstract class TransactionFixture {
    static final long TYPE = 7;

    final CrashSimulation machine = SimulatedPool.formatted();
    ObjectPool pool = SimulatedPool.open(machine);

    @AfterEach
    void close() {
        pool.close();
    }

    final void reopen() {
        reopen(SimulatedPool.SETTINGS);
    }

    final void reopen(TxSettings settings) {
        pool.close();
        pool = SimulatedPool.open(machine, settings);
    }

    final Ref account(long balance) {
        return pool.compute(
                tx -> {
                    Ref account = tx.allocateZeroed(64, TYPE);
                    tx.setLong(account, 0, balance);
                    return account;
                });
    }

    static List<Ref> list(Iterable<Ref> refs) {
        List<Ref> all = new ArrayList<>();
        refs.forEach(all::add);
        return all;
    }

    static void assertWrongUse(Runnable call, String... parts) {
        assertRefused(Category.WRONG_USE, call, parts);
    }

    static void assertRefused(Category category, Runnable call, String... parts) {
        Throwable thrown = catchThrowable(call::run);
        assertThat(thrown).isInstanceOf(FarheapException.class);
        assertThat(((FarheapException) thrown).category()).isEqualTo(category);
        for (String part : parts) {
            assertThat(thrown).hasMessageContaining(part);
        }
    }
}
