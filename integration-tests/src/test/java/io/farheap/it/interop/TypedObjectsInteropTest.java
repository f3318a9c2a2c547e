package io.farheap.it.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.objects.PersistentHeap;
import io.farheap.objects.schema.Persistent;
import io.farheap.objects.schema.PersistentMap;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program in C walks typed objects by the header that describes them. */
class TypedObjectsInteropTest {
    @TempDir Path directory;

    @Persistent(name = "bank.Bank")
    interface Bank {
        String name();

        void name(String value);

        Account first();

        void first(Account value);
    }

    @Persistent(name = "bank.Account")
    interface Account {
        boolean isOpen();

        void setOpen(boolean value);

        String owner();

        void owner(String value);

        long balance();

        void balance(long value);

        double rate();

        void rate(double value);

        Color color();

        void color(Color value);

        Point at();

        void at(Point value);

        Instant opened();

        void opened(Instant value);

        Account next();

        void next(Account value);

        PersistentMap<String, Entry> entries();
    }

    @Persistent(name = "bank.Color")
    enum Color {
        RED,
        GREEN
    }

    @Persistent(name = "bank.Point")
    record Point(int x, int y) {}

    @Persistent(name = "bank.Entry")
    record Entry(String text, Integer amount) {}

    @BeforeEach
    void nativeLibrary() {
        NativeJudge.require();
    }

    @Test
    void whatJavaStoredIsWhatCReads() throws IOException {
        Path file = directory.resolve("bank.pool");
        try (PersistentHeap<Bank> heap = PersistentHeap.openOrCreate(file, 16L << 20, Bank.class)) {
            heap.transaction(
                    bank -> {
                        bank.name("The Bank of far away memories");
                        bank.first(account(heap, "Ada", 100, Color.GREEN));
                        bank.first().next(account(heap, "Bob", -5, Color.RED));
                    });
        }
        NativeJudge.assertConsistent(file);
        NativeJudge.Answer answer = TypedPrograms.run("typed.c", file, directory);
        assertThat(answer)
                .isEqualTo(
                        new NativeJudge.Answer(
                                0,
                                """
                                name=The Bank of far away memories
                                owner=Ada
                                balance=100
                                rate=1.5
                                color=1
                                at=-3,4
                                opened=100.000000007
                                owner=Bob
                                balance=-5
                                rate=1.5
                                color=0
                                at=-3,4
                                opened=100.000000007
                                """,
                                ""));
    }

    private static Account account(
            PersistentHeap<Bank> heap, String owner, long balance, Color color) {
        return heap.create(
                Account.class,
                one -> {
                    one.owner(owner);
                    one.balance(balance);
                    one.rate(1.5);
                    one.color(color);
                    one.at(new Point(-3, 4));
                    one.opened(Instant.ofEpochSecond(100, 7));
                });
    }
}
