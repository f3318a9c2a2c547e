package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.farheap.base.Errno;
import io.farheap.base.FailureBehavior;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.Ref;
import io.farheap.base.StageCallback;
import io.farheap.base.TransactionAbortedException;
import io.farheap.base.TransactionStage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Stages by hand, and who is told of them. The sequences are those that libpmemobj 1.12 shows for
 * the same calls.
 */
class ManualTransactionTest extends TransactionFixture {
    private final List<String> told = new ArrayList<>();
    private final StageCallback callback =
            stage -> told.add(stage + " " + pool.transactions().stage());
    private final TransactionOptions tells = TransactionOptions.DEFAULT.callback(callback);

    // ---- stages ----

    @Test
    void aCommitGoesThroughAllStages() {
        Ref account = account(100);
        ManualTransaction manual = pool.begin(tells);
        assertThat(pool.transactions().stage()).isEqualTo(TransactionStage.WORK);
        manual.transaction().setLong(account, 0, 1);

        manual.commit();
        assertThat(manual.stage()).isEqualTo(TransactionStage.ONCOMMIT);
        assertThat(pool.getLong(account, 0)).as("durable from here on").isEqualTo(1);
        manual.process();
        assertThat(manual.stage()).isEqualTo(TransactionStage.FINALLY);
        manual.process();
        assertThat(manual.stage()).isEqualTo(TransactionStage.NONE);
        manual.process();
        assertThat(manual.end()).isZero();

        assertThat(told)
                .containsExactly("WORK WORK", "ONCOMMIT ONCOMMIT", "FINALLY FINALLY", "NONE NONE");
        assertThat(pool.transactions().stage()).isEqualTo(TransactionStage.NONE);
        assertThat(manual.errorCode()).isZero();
    }

    @Test
    void theEndMayComeRightAfterTheCommit() {
        ManualTransaction manual = pool.begin(tells);
        manual.process();
        assertThat(manual.stage()).isEqualTo(TransactionStage.ONCOMMIT);
        assertThat(manual.end()).isZero();
        assertThat(told)
                .containsExactly("WORK WORK", "ONCOMMIT ONCOMMIT", "FINALLY FINALLY", "NONE NONE");
    }

    @Test
    void anAbortRollsBackAtOnceAndEndsWithItsCode() {
        Ref account = account(100);
        ManualTransaction manual = pool.begin(tells);
        manual.transaction().snapshot(account, 0, 8).fill((byte) 1);

        manual.abort(7);

        assertThat(manual.stage()).isEqualTo(TransactionStage.ONABORT);
        assertThat(manual.errorCode()).isEqualTo(7);
        assertThat(pool.getLong(account, 0)).isEqualTo(100);
        assertThat(manual.end()).isEqualTo(7);
        assertThat(manual.errorCode()).as("still told after the end").isEqualTo(7);
        assertThat(told).containsExactly("ONABORT ONABORT", "FINALLY FINALLY", "NONE NONE");
    }

    @Test
    void anAbortWithoutACodeIsCanceled() {
        ManualTransaction manual = pool.begin();
        manual.abort(0);
        assertThat(manual.end()).isEqualTo(Errno.ECANCELED);
    }

    @Test
    void anAbortInsideReachesTheOutermostWhenTheInnerOnesEnd() {
        Ref account = account(100);
        ManualTransaction outer = pool.begin(tells);
        outer.transaction().snapshot(account, 0, 8).fill((byte) 1);
        ManualTransaction middle = pool.begin();
        ManualTransaction inner = pool.begin(tells);

        inner.abort(9);
        assertThat(told).as("nested ones tell nobody").isEmpty();
        assertThat(outer.stage()).isEqualTo(TransactionStage.WORK);
        assertThat(pool.getLong(account, 0)).as("not rolled back yet").isNotEqualTo(100);
        assertThat(inner.end()).isEqualTo(9);
        assertThat(middle.stage()).isEqualTo(TransactionStage.ONABORT);
        assertThat(middle.end()).isEqualTo(9);
        assertThat(outer.stage()).isEqualTo(TransactionStage.ONABORT);
        assertThat(pool.getLong(account, 0)).isEqualTo(100);
        assertThat(told).containsExactly("ONABORT ONABORT");
        assertThat(outer.end()).isEqualTo(9);
        assertThat(told).containsExactly("ONABORT ONABORT", "FINALLY FINALLY", "NONE NONE");
    }

    @Test
    void anInnerCommitIsNothingUntilTheOutermostOne() {
        Ref account = account(100);
        try (ManualTransaction outer = pool.begin(tells)) {
            ManualTransaction inner = pool.begin();
            inner.transaction().setLong(account, 0, 1);
            inner.commit();
            assertThat(inner.end()).isZero();
            assertThat(pool.getLong(account, 0)).isEqualTo(100);
            outer.abort(3);
        }
        assertThat(pool.getLong(account, 0)).isEqualTo(100);
        assertThat(told).containsExactly("ONABORT ONABORT", "FINALLY FINALLY", "NONE NONE");
    }

    @Test
    void aBlockLeftWithoutACommitIsRolledBack() {
        Ref account = account(100);
        try (ManualTransaction manual = pool.begin()) {
            manual.transaction().setLong(account, 0, 1);
        }
        assertThat(pool.getLong(account, 0)).isEqualTo(100);
        try (ManualTransaction manual = pool.begin()) {
            manual.transaction().setLong(account, 0, 2);
            manual.commit();
        }
        assertThat(pool.getLong(account, 0)).isEqualTo(2);
    }

    @Test
    void handsAndLambdasNestInBothOrders() {
        Ref account = account(100);
        try (ManualTransaction manual = pool.begin()) {
            pool.setLong(account, 0, 1);
            assertThatThrownBy(() -> pool.transaction(tx -> tx.abort(5)))
                    .isInstanceOf(TransactionAbortedException.class);
            assertThat(manual.stage()).isEqualTo(TransactionStage.ONABORT);
            assertThat(manual.errorCode()).isEqualTo(5);
        }
        TransactionAbortedException aborted =
                catchThrowableOfType(
                        TransactionAbortedException.class,
                        () ->
                                pool.transaction(
                                        tx -> {
                                            tx.setLong(account, 0, 2);
                                            try (ManualTransaction inner = pool.begin()) {
                                                inner.abort(6);
                                            }
                                        }));
        assertThat(aborted.errorCode()).isEqualTo(6);
        assertThat(pool.getLong(account, 0)).isEqualTo(100);
    }

    // ---- wrong use: the C library ends the process for these ----

    @Test
    void callsInTheWrongStageAreRefused() {
        Ref account = account(100);
        ManualTransaction manual = pool.begin();
        assertWrongUse(manual::end, "still works");
        manual.commit();
        assertWrongUse(manual::commit, "ONCOMMIT");
        assertWrongUse(() -> manual.abort(1), "ONCOMMIT");
        assertWrongUse(() -> manual.transaction().setLong(account, 0, 1), "ONCOMMIT");
        assertWrongUse(() -> pool.begin(), "ONCOMMIT");
        assertWrongUse(() -> pool.setLong(account, 0, 1), "ONCOMMIT");
        assertThat(manual.end()).isZero();
        assertWrongUse(manual::end, "has ended");
        assertWrongUse(manual::commit, "has ended");
        manual.process();
        manual.close();
        assertThat(pool.getLong(account, 0)).isEqualTo(100);
    }

    @Test
    void anOuterLevelWaitsForTheInnerOne() {
        ManualTransaction outer = pool.begin();
        ManualTransaction inner = pool.begin();
        assertWrongUse(outer::commit, "begun inside");
        assertWrongUse(outer::end, "begun inside");
        inner.commit();
        assertWrongUse(() -> outer.abort(1), "begun inside");
        assertThat(inner.end()).isZero();
        outer.commit();
        assertThat(outer.end()).isZero();
    }

    @Test
    void aLevelForgottenInsideALambdaRollsEverythingBack() {
        Ref account = account(100);
        for (boolean committed : new boolean[] {false, true}) {
            assertWrongUse(
                    () ->
                            pool.transaction(
                                    tx -> {
                                        tx.setLong(account, 0, 1);
                                        ManualTransaction forgotten = pool.begin();
                                        if (committed) {
                                            forgotten.commit();
                                        }
                                    }),
                    "never ended");
            assertThat(pool.transactions().stage()).isEqualTo(TransactionStage.NONE);
            assertThat(pool.getLong(account, 0)).isEqualTo(100);
        }
    }

    @Test
    void anotherThreadMayNotMoveIt() throws InterruptedException {
        ManualTransaction manual = pool.begin();
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread other =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        manual.commit();
                                    } catch (FarheapException e) {
                                        thrown.set(e);
                                    }
                                });
        other.join();
        assertThat(thrown.get()).hasMessageContaining("belongs to thread");
        manual.close();
    }

    // ---- callbacks ----

    @Test
    void aLambdaTellsTheSameStages() {
        Ref account = account(100);
        pool.transaction(tells, tx -> tx.setLong(account, 0, 1));
        assertThat(told)
                .containsExactly("WORK WORK", "ONCOMMIT ONCOMMIT", "FINALLY FINALLY", "NONE NONE");
        told.clear();
        assertThatThrownBy(() -> pool.compute(tells, tx -> tx.getLong(account, -1)))
                .isInstanceOf(FarheapException.class);
        assertThat(told).containsExactly("ONABORT ONABORT", "FINALLY FINALLY", "NONE NONE");
    }

    @Test
    void anotherCallbackInsideIsRefusedAndAbortsAll() {
        TransactionOptions another = TransactionOptions.DEFAULT.callback(stage -> {});
        try (ManualTransaction outer = pool.begin(tells)) {
            assertWrongUse(() -> pool.begin(another), "callback already");
            assertThat(outer.stage()).isEqualTo(TransactionStage.ONABORT);
            assertThat(outer.errorCode()).isEqualTo(Errno.EINVAL);
        }
    }

    @Test
    void anExceptionBeforeTheCommitAbortsAndLaterOnesDoNot() {
        Ref account = account(100);
        for (TransactionStage stage : TransactionStage.values()) {
            pool.setLong(account, 0, 100);
            StageCallback fails =
                    entered -> {
                        if (entered == stage) {
                            throw new IllegalStateException("told of " + entered);
                        }
                    };
            TransactionOptions options = TransactionOptions.DEFAULT.callback(fails);
            if (stage != TransactionStage.ONABORT) {
                assertThatThrownBy(() -> pool.transaction(options, tx -> tx.setLong(account, 0, 1)))
                        .hasMessage("told of " + stage);
            }
            long kept =
                    stage == TransactionStage.WORK || stage == TransactionStage.ONABORT ? 100 : 1;
            assertThat(pool.getLong(account, 0)).as(stage.name()).isEqualTo(kept);
            assertThat(pool.transactions().stage()).isEqualTo(TransactionStage.NONE);
        }
        StageCallback fails =
                entered -> {
                    if (entered == TransactionStage.ONABORT) {
                        throw new IllegalStateException("told of " + entered);
                    }
                };
        TransactionAbortedException aborted =
                catchThrowableOfType(
                        TransactionAbortedException.class,
                        () ->
                                pool.transaction(
                                        TransactionOptions.DEFAULT.callback(fails),
                                        Transaction::abort));
        assertThat(aborted.getSuppressed()[0]).hasMessage("told of ONABORT");
    }

    /** Before the commit it joins this one; after the end it is one of its own. */
    @ParameterizedTest
    @EnumSource(names = {"WORK", "NONE"})
    void aCallbackMayChangeThings(TransactionStage when) {
        Ref account = account(100);
        StageCallback changes =
                stage -> {
                    if (stage == when) {
                        pool.setLong(account, 8, 5);
                    }
                };
        long commits = pool.counters().commits();

        pool.transaction(
                TransactionOptions.DEFAULT.callback(changes), tx -> tx.setLong(account, 0, 1));

        assertThat(pool.getLong(account, 8)).isEqualTo(5);
        assertThat(pool.counters().commits() - commits)
                .isEqualTo(when == TransactionStage.NONE ? 2 : 1);
    }

    @Test
    void callsThatAreAtomicByThemselvesWorkInEveryStage() {
        StageCallback allocates =
                stage -> {
                    told.add(stage.toString());
                    Ref made = pool.atomic().allocate(100, TYPE + stage.ordinal());
                    pool.atomic().free(made);
                    Ref unused = pool.atomic().allocate(100, TYPE + stage.ordinal());
                };
        TransactionOptions options = TransactionOptions.DEFAULT.callback(allocates);
        pool.transaction(options, tx -> tx.allocate(100, TYPE + 100));
        assertThatThrownBy(() -> pool.transaction(options, Transaction::abort))
                .isInstanceOf(TransactionAbortedException.class);

        assertThat(told)
                .containsExactly(
                        "WORK", "ONCOMMIT", "FINALLY", "NONE", "ONABORT", "FINALLY", "NONE");
        assertThat(list(pool.objects(TYPE + TransactionStage.FINALLY.ordinal()))).hasSize(2);
        assertThat(list(pool.objects())).hasSize(8);
    }

    // ---- locks ----

    @Test
    void locksAreHeldToTheOutermostEnd() {
        TransactionLock first = new TransactionLock();
        ReentrantLock second = new ReentrantLock();
        TransactionOptions locked = TransactionOptions.DEFAULT.lock(first).lock(second);
        ManualTransaction outer = pool.begin();
        ManualTransaction inner = pool.begin(locked);
        inner.transaction().lock(second);
        assertThat(second.getHoldCount()).as("once for the transaction").isEqualTo(1);
        inner.commit();
        assertThat(inner.end()).isZero();
        outer.abort(1);
        assertThat(second.isHeldByCurrentThread()).as("rolled back, not ended").isTrue();
        assertThat(first.lock.isHeldByCurrentThread()).isTrue();
        assertThat(outer.end()).isEqualTo(1);
        assertThat(second.isLocked()).isFalse();
        assertThat(first.lock.isLocked()).isFalse();
    }

    @Test
    void aLockThatIsNotFreeInTimeLetsNothingBegin() throws InterruptedException {
        reopen(SimulatedPool.IMPATIENT);
        ReentrantLock lock = new ReentrantLock();
        Thread other = Thread.ofPlatform().start(lock::lock);
        other.join();
        TransactionOptions locked = tells.lock(lock);

        assertRefused(Category.ENVIRONMENT, () -> pool.begin(locked), "held the lock");
        assertThat(pool.transactions().stage()).isEqualTo(TransactionStage.NONE);
        assertThat(told).containsExactly("ONABORT ONABORT", "FINALLY FINALLY", "NONE NONE");

        try (ManualTransaction outer = pool.begin()) {
            assertRefused(
                    Category.ENVIRONMENT, () -> outer.transaction().lock(lock), "held the lock");
            assertThat(outer.stage()).as("lock() never aborts").isEqualTo(TransactionStage.WORK);
            assertRefused(
                    Category.ENVIRONMENT,
                    () -> outer.transaction().lock(lock, FailureBehavior.ABORT),
                    "held the lock");
            assertThat(outer.stage()).isEqualTo(TransactionStage.ONABORT);
        }
    }

    @Test
    void oneThatItsBlockEndedIsNoHandleOfTheNext() {
        Ref account = account(100);
        List<ManualTransaction> kept = new ArrayList<>();
        assertWrongUse(() -> pool.transaction(tx -> kept.add(pool.begin())), "never ended");

        pool.transaction(
                tx -> {
                    tx.setLong(account, 0, 1);
                    try (ManualTransaction inner = pool.begin()) {
                        assertThat(kept.get(0).stage()).isEqualTo(TransactionStage.NONE);
                        assertWrongUse(() -> kept.get(0).abort(1), "has ended");
                        kept.get(0).process();
                        kept.get(0).close();
                        assertThat(kept.get(0).errorCode()).isEqualTo(Errno.ECANCELED);
                        inner.commit();
                    }
                });

        assertThat(pool.getLong(account, 0)).isEqualTo(1);
    }

    // ---- failures of calls ----

    @Test
    void aFailingCallAbortsAlsoWhenItIsCaught() {
        Ref account = account(100);
        TransactionAbortedException aborted =
                catchThrowableOfType(
                        TransactionAbortedException.class,
                        () ->
                                pool.transaction(
                                        tx -> {
                                            tx.setLong(account, 0, 1);
                                            assertWrongUse(() -> tx.allocate(0, TYPE));
                                        }));
        assertThat(aborted.errorCode()).isEqualTo(Errno.EINVAL);
        assertThat(aborted.getCause()).hasMessageContaining("at least 1 byte");
        assertThat(pool.getLong(account, 0)).isEqualTo(100);
    }

    @Test
    void eachFailingCallAbortsAndEndsWithItsError() {
        Ref account = account(100);
        Ref gone = account(1);
        pool.transaction(tx -> tx.free(gone));
        assertThat(codeOf(tx -> tx.allocate(0, TYPE))).isEqualTo(Errno.EINVAL);
        assertThat(codeOf(tx -> tx.allocateZeroed(1L << 30, TYPE))).isEqualTo(Errno.ENOMEM);
        assertThat(codeOf(tx -> tx.reallocate(account, 1L << 30, TYPE))).isEqualTo(Errno.ENOMEM);
        assertThat(codeOf(tx -> tx.reallocate(gone, 10, TYPE))).isEqualTo(Errno.EINVAL);
        assertThat(codeOf(tx -> tx.free(gone))).isEqualTo(Errno.EINVAL);
        assertThat(codeOf(tx -> tx.snapshot(account, 0, 1 << 20))).isEqualTo(Errno.EINVAL);
        assertThat(codeOf(tx -> tx.setLong(account, 1 << 20, 1))).isEqualTo(Errno.EINVAL);
        assertThat(codeOf(tx -> tx.writeBytes(gone, 0, new byte[1]))).isEqualTo(Errno.EINVAL);
        assertThat(pool.getLong(account, 0)).isEqualTo(100);
    }

    /** The error of a transaction that works on after the exception of one call. */
    private int codeOf(TransactionBody<RuntimeException> call) {
        try (ManualTransaction manual = pool.begin()) {
            assertThatThrownBy(() -> call.run(manual.transaction()))
                    .isInstanceOf(FarheapException.class);
            assertThat(manual.stage()).isEqualTo(TransactionStage.ONABORT);
            return manual.errorCode();
        }
    }

    @Test
    void aFailingReadAbortsNothing() {
        Ref account = account(100);
        pool.transaction(
                tx -> {
                    tx.setLong(account, 0, 1);
                    assertWrongUse(() -> tx.getLong(account, 1 << 20));
                });
        assertThat(pool.getLong(account, 0)).isEqualTo(1);
    }

    @Test
    void theWayToFailIsInheritedAndEndsWithItsLevel() {
        TransactionOptions goesOn = TransactionOptions.DEFAULT.onFailure(FailureBehavior.RETURN);
        Ref account = account(100);
        pool.transaction(
                goesOn,
                outer -> {
                    assertWrongUse(() -> outer.allocate(0, TYPE));
                    pool.transaction(
                            inner -> {
                                assertThat(inner.failureBehavior())
                                        .isEqualTo(FailureBehavior.RETURN);
                                inner.setFailureBehavior(FailureBehavior.ABORT);
                            });
                    assertThat(outer.failureBehavior()).isEqualTo(FailureBehavior.RETURN);
                    outer.setLong(account, 0, 1);
                });
        assertThat(pool.getLong(account, 0)).isEqualTo(1);
        pool.transaction(tx -> assertThat(tx.failureBehavior()).isEqualTo(FailureBehavior.ABORT));
    }

    @Test
    void aFullPoolCanBeHandledInside() {
        TransactionOptions goesOn = TransactionOptions.DEFAULT.onFailure(FailureBehavior.RETURN);
        Ref made =
                pool.compute(
                        goesOn,
                        tx -> {
                            FarheapException full =
                                    catchThrowableOfType(
                                            FarheapException.class,
                                            () -> tx.allocate(1L << 30, TYPE));
                            assertThat(full.category()).isEqualTo(Category.ENVIRONMENT);
                            return tx.allocate(100, TYPE);
                        });
        assertThat(list(pool.objects())).containsExactly(made);
    }

    // ---- user data ----

    @Test
    void userDataLivesAsLongAsTheOutermostLevel() {
        pool.transaction(
                outer -> {
                    assertThat(outer.userData()).isNull();
                    outer.setUserData("mine");
                    pool.transaction(inner -> assertThat(inner.userData()).isEqualTo("mine"));
                    pool.transaction(inner -> inner.setUserData("yours"));
                    assertThat(outer.userData()).isEqualTo("yours");
                });
        pool.transaction(tx -> assertThat(tx.userData()).isNull());
    }
}
