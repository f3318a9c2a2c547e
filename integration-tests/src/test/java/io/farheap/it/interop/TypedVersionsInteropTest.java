package io.farheap.it.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.objects.PersistentHeap;
import io.farheap.objects.schema.Persistent;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program in C reads what two versions of a program wrote, and sees what is deleted. */
class TypedVersionsInteropTest {
    private static final long POOL_BYTES = 16L << 20;

    @TempDir Path directory;

    @Persistent(name = "bank.Bank")
    interface OldBank {
        OldAccount first();

        void first(OldAccount value);
    }

    @Persistent(name = "bank.Account")
    interface OldAccount {
        String owner();

        void owner(String value);

        int balance();

        void balance(int value);

        OldAccount next();

        void next(OldAccount value);
    }

    @Persistent(name = "bank.Bank")
    interface Bank {
        Account first();

        void first(Account value);
    }

    @Persistent(name = "bank.Account")
    interface Account {
        String owner();

        void owner(String value);

        long balance();

        void balance(long value);

        String note();

        void note(String value);

        Account next();

        void next(Account value);
    }

    @BeforeEach
    void nativeLibrary() {
        NativeJudge.require();
    }

    @Test
    void bothVersionsAreReadAndADeletedObjectIsNone() throws IOException {
        Path file = directory.resolve("bank.pool");
        try (PersistentHeap<OldBank> heap =
                PersistentHeap.openOrCreate(file, POOL_BYTES, OldBank.class)) {
            heap.transaction(
                    bank -> {
                        bank.first(account(heap, "Ada", 1));
                        bank.first().next(account(heap, "Bob", -2));
                    });
        }
        try (PersistentHeap<Bank> heap =
                PersistentHeap.openOrCreate(file, POOL_BYTES, Bank.class)) {
            heap.transaction(bank -> continued(heap, bank.first().next()));
        }
        NativeJudge.assertConsistent(file);
        NativeJudge.Answer answer = TypedPrograms.run("typed_versions.c", file, directory);
        assertThat(answer)
                .isEqualTo(
                        new NativeJudge.Answer(
                                0,
                                """
                                owner=Ada balance=1 in place
                                owner=Bob balance=8589934592 note=a note that is too long for a slot moved
                                owner=Cyd balance=3 note=null in place
                                deleted, word 0
                                """,
                                ""));
    }

    private static OldAccount account(PersistentHeap<OldBank> heap, String owner, int balance) {
        return heap.create(
                OldAccount.class,
                one -> {
                    one.owner(owner);
                    one.balance(balance);
                });
    }

    /** What the second version writes: one that moves, a new one, and one that it deletes. */
    private static void continued(PersistentHeap<Bank> heap, Account moved) {
        moved.balance(1L << 33);
        moved.note("a note that is too long for a slot");
        Account added = heap.create(Account.class);
        added.owner("Cyd");
        added.balance(3);
        moved.next(added);
        added.next(heap.create(Account.class));
        heap.delete(added.next());
    }
}
