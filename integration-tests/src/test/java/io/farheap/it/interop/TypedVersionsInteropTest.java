package io.farheap.it.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.objects.PersistentHeap;
import io.farheap.objects.schema.Persistent;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.nio.file.Path;
import java.util.function.Consumer;
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
    void bothVersionsAreReadAndADeletedObjectIsNone() throws Exception {
        Path file = directory.resolve("bank.pool");
        try (PersistentHeap<OldBank> heap =
                PersistentHeap.openOrCreate(file, POOL_BYTES, OldBank.class)) {
            heap.transaction(
                    bank -> {
                        bank.first(account(heap, "Ada", 1));
                        bank.first().next(account(heap, "Bob", -2));
                    });
        }
        second().accept(file);
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

    /** The second version, which has no classes of the first. */
    @SuppressWarnings("unchecked") // it is one
    private static Consumer<Path> second() throws ReflectiveOperationException {
        Class<?> program = new SecondProgram().loadClass(Second.class.getName());
        Constructor<?> maker = program.getDeclaredConstructor();
        maker.setAccessible(true); // its package is another one, by its loader
        return (Consumer<Path>) maker.newInstance();
    }

    private static final class SecondProgram extends ClassLoader {
        private static final String OF_US = TypedVersionsInteropTest.class.getName();

        SecondProgram() {
            super(TypedVersionsInteropTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith(OF_US + "$Old")) {
                throw new ClassNotFoundException(name);
            }
            Class<?> known = findLoadedClass(name);
            if (known != null || !name.startsWith(OF_US)) {
                return known == null ? super.loadClass(name, resolve) : known;
            }
            try (InputStream bytes = getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] all = bytes.readAllBytes();
                return defineClass(name, all, 0, all.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    /** What the second version writes: an object that moves, a new one, and one that it deletes. */
    static final class Second implements Consumer<Path> {
        @Override
        public void accept(Path file) {
            try (PersistentHeap<Bank> heap =
                    PersistentHeap.openOrCreate(file, POOL_BYTES, Bank.class)) {
                heap.transaction(bank -> change(heap, bank.first().next()));
            }
        }

        private static void change(PersistentHeap<Bank> heap, Account moved) {
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
}
