package io.farheap.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import org.junit.jupiter.api.Test;

// docs/testing.md: begin
class BankPowerLossTest {
    private static final int FROM = 0;
    private static final int TO = 8;

    @Test
    void noPowerLossMakesMoneyOrDestroysIt() throws Exception {
        PowerLoss.Tried tried =
                PowerLoss.during(pool -> transfer(pool, 30))
                        .startingWith(pool -> openAccounts(pool, 100))
                        .onceReturned(pool -> assertThat(balance(pool, TO)).isEqualTo(30))
                        .check(
                                pool ->
                                        assertThat(balance(pool, FROM) + balance(pool, TO))
                                                .isEqualTo(100));

        assertThat(tried.states()).isGreaterThan(10);
    }

    private static void openAccounts(ObjectPool pool, long balance) {
        pool.setLong(pool.root(16), FROM, balance);
    }

    private static void transfer(ObjectPool pool, long amount) {
        Ref accounts = pool.root();
        pool.transaction(
                tx -> {
                    tx.setLong(accounts, FROM, tx.getLong(accounts, FROM) - amount);
                    tx.setLong(accounts, TO, tx.getLong(accounts, TO) + amount);
                });
    }

    private static long balance(ObjectPool pool, int account) {
        return pool.getLong(pool.root(), account);
    }
}
// docs/testing.md: end
