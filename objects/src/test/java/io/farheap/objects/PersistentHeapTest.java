package io.farheap.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ObjectPool;
import io.farheap.base.FarheapException;
import io.farheap.objects.schema.Persistent;
import io.farheap.objects.schema.PersistentMap;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PersistentHeapTest {
    private static final long SIZE = 16L << 20;

    @TempDir Path directory;

    @Persistent
    interface Bank {
        PersistentMap<String, Account> accounts();

        long total();

        void total(long value);

        Account first();

        void first(Account value);

        Shape shape();

        void shape(Shape value);
    }

    @Persistent
    interface Account {
        String owner();

        void owner(String value);

        long balance();

        void balance(long value);

        Account next();

        void next(Account value);

        PersistentMap<Long, Entry> entries();

        default boolean isOverdrawn() {
            return balance() < 0;
        }
    }

    record Entry(Instant when, long amount, String text) {}

    record Point(int x, int y) {}

    enum Color {
        RED,
        GREEN
    }

    sealed interface Event permits Opened, Moved {}

    record Opened(String by) implements Event {}

    record Moved(Point from, Point to) implements Event {}

    @Persistent
    interface Shape {
        double area();
    }

    @Persistent
    interface Circle extends Shape, Holder<Color> {
        double radius();

        void radius(double value);

        @Override
        default double area() {
            return Math.PI * radius() * radius();
        }
    }

    interface Holder<T> {
        T held();

        void held(T value);
    }

    @Persistent
    interface Everything {
        boolean isFlag();

        void setFlag(boolean value);

        byte getSmall();

        void setSmall(byte value);

        short getShorter();

        void setShorter(short value);

        char getLetter();

        void setLetter(char value);

        int getNumber();

        void setNumber(int value);

        float getReal();

        void setReal(float value);

        double getDoubled();

        void setDoubled(double value);

        Integer getBoxed();

        void setBoxed(Integer value);

        Boolean getBoxedFlag();

        void setBoxedFlag(Boolean value);

        BigDecimal getPrice();

        void setPrice(BigDecimal value);

        Instant getWhen();

        void setWhen(Instant value);

        LocalDate getDay();

        void setDay(LocalDate value);

        Duration getFor();

        void setFor(Duration value);

        UUID getKey();

        void setKey(UUID value);

        Color getColor();

        void setColor(Color value);

        Point getPoint();

        void setPoint(Point value);

        Entry getEntry();

        void setEntry(Entry value);

        Event getEvent();

        void setEvent(Event value);

        byte[] getBytes();

        void setBytes(byte[] value);

        String[] getWords();

        void setWords(String[] value);

        Point[] getPoints();

        void setPoints(Point[] value);
    }

    private PersistentHeap<Bank> heap = PersistentHeap.inMemory(Bank.class);

    @AfterEach
    void close() {
        heap.close();
    }

    @Test
    void whatATransactionWroteIsThereWhenTheHeapIsOpenedAgain() {
        Path file = directory.resolve("pool");
        try (PersistentHeap<Bank> first = PersistentHeap.openOrCreate(file, SIZE, Bank.class)) {
            first.transaction(
                    bank -> {
                        bank.total(150);
                        open(first, bank, "Ada", 100);
                        open(first, bank, "Bob", 50);
                        bank.accounts()
                                .get("Bob")
                                .entries()
                                .put(1L, new Entry(Instant.EPOCH, 50, "first"));
                    });
        }
        try (PersistentHeap<Bank> second = PersistentHeap.open(file, Bank.class)) {
            long sum =
                    second.read(
                            bank ->
                                    bank.accounts().values().stream()
                                            .mapToLong(Account::balance)
                                            .sum());
            assertThat(sum).isEqualTo(150);
            Account bob = second.root().accounts().get("Bob");
            assertThat(bob.owner()).isEqualTo("Bob");
            assertThat(bob.entries().get(1L)).isEqualTo(new Entry(Instant.EPOCH, 50, "first"));
            assertThat(bob.isOverdrawn()).isFalse();
        }
    }

    private static Account open(PersistentHeap<Bank> heap, Bank bank, String owner, long balance) {
        Account account =
                heap.create(
                        Account.class,
                        one -> {
                            one.owner(owner);
                            one.balance(balance);
                        });
        bank.accounts().put(owner, account);
        return account;
    }

    @Test
    void fieldsOfEveryKindComeBack() {
        Everything all = heap.create(Everything.class);
        assertThat(all.getBoxed()).isNull();
        assertThat(all.getWhen()).isNull();
        assertThat(all.getColor()).isNull();
        assertThat(all.getPoint()).isNull();
        assertThat(all.getEvent()).isNull();
        heap.transaction(bank -> fill(all));
        assertFilled(all);
        heap.view(bank -> assertFilled(all));
        heap.transaction(
                bank -> {
                    assertFilled(all);
                    all.setBoxed(null);
                    all.setWhen(null);
                    all.setPoint(null);
                    all.setEntry(null);
                });
        assertThat(all.getBoxed()).isNull();
        assertThat(all.getWhen()).isNull();
        assertThat(all.getPoint()).isNull();
        assertThat(all.getEntry()).isNull();
        assertThat(all.getDay()).isEqualTo(LocalDate.of(2026, 11, 24));
    }

    private static void fill(Everything all) {
        all.setFlag(true);
        all.setSmall((byte) -3);
        all.setShorter((short) -300);
        all.setLetter('\ufffe');
        all.setNumber(-70_000);
        all.setReal(-1.5f);
        all.setDoubled(Math.E);
        all.setBoxed(0);
        all.setBoxedFlag(false);
        all.setPrice(new BigDecimal("12.340"));
        all.setWhen(Instant.EPOCH);
        all.setDay(LocalDate.of(2026, 11, 24));
        all.setFor(Duration.ofNanos(-1));
        all.setKey(new UUID(0, 0));
        all.setColor(Color.GREEN);
        all.setPoint(new Point(0, 0));
        all.setEntry(new Entry(null, 7, "a text that is longer than a slot"));
        all.setEvent(new Moved(new Point(1, 2), null));
        all.setBytes(new byte[] {1, 2, 3});
        all.setWords(new String[] {"one", null});
        all.setPoints(new Point[] {new Point(1, 1), new Point(2, 2)});
    }

    private static void assertFilled(Everything all) {
        assertThat(all.isFlag()).isTrue();
        assertThat(all.getSmall()).isEqualTo((byte) -3);
        assertThat(all.getShorter()).isEqualTo((short) -300);
        assertThat(all.getLetter()).isEqualTo('\ufffe');
        assertThat(all.getNumber()).isEqualTo(-70_000);
        assertThat(all.getReal()).isEqualTo(-1.5f);
        assertThat(all.getDoubled()).isEqualTo(Math.E);
        assertThat(all.getBoxed()).isZero();
        assertThat(all.getBoxedFlag()).isFalse();
        assertThat(all.getPrice()).isEqualTo(new BigDecimal("12.340"));
        assertThat(all.getWhen()).isEqualTo(Instant.EPOCH);
        assertThat(all.getDay()).isEqualTo(LocalDate.of(2026, 11, 24));
        assertThat(all.getFor()).isEqualTo(Duration.ofNanos(-1));
        assertThat(all.getKey()).isEqualTo(new UUID(0, 0));
        assertThat(all.getColor()).isEqualTo(Color.GREEN);
        assertThat(all.getPoint()).isEqualTo(new Point(0, 0));
        assertThat(all.getEntry())
                .isEqualTo(new Entry(null, 7, "a text that is longer than a slot"));
        assertThat(all.getEvent()).isEqualTo(new Moved(new Point(1, 2), null));
        assertThat(all.getBytes()).containsExactly(1, 2, 3);
        assertThat(all.getWords()).containsExactly("one", null);
        assertThat(all.getPoints()).containsExactly(new Point(1, 1), new Point(2, 2));
    }

    @Test
    void aFieldOfAnInterfaceHoldsWhateverExtendsIt() {
        Circle circle = heap.create(Circle.class, one -> one.radius(2));
        circle.held(Color.RED);
        heap.root().shape(circle);
        assertThat(heap.root().shape()).isInstanceOf(Circle.class).isEqualTo(circle);
        assertThat(heap.root().shape().area()).isEqualTo(Math.PI * 4);
        assertThat(circle.held()).isEqualTo(Color.RED);
    }

    @Test
    void aTypeThatNothingLedToIsAddedWithinATransaction() {
        List<String> runs = new ArrayList<>();
        heap.transaction(
                bank -> {
                    runs.add("run");
                    bank.shape(heap.create(Circle.class));
                });
        assertThat(runs).hasSize(2);
        assertThat(heap.root().shape()).isInstanceOf(Circle.class);
    }

    @Test
    void objectsAreEqualByTheirPlace() {
        Account ada = open(heap, heap.root(), "Ada", 1);
        Account bob = open(heap, heap.root(), "Bob", 1);
        Account same = heap.root().accounts().get("Ada");
        assertThat(same).isEqualTo(ada).isNotSameAs(ada).hasSameHashCodeAs(ada);
        assertThat(ada).isNotEqualTo(bob);
        assertThat(ada.toString()).startsWith("Account@0x");
    }

    @Test
    void anExceptionLeavesNothingBehindAndTravelsOn() {
        long before = objects();
        assertThatThrownBy(
                        () ->
                                heap.transaction(
                                        bank -> {
                                            open(heap, bank, "Ada", 1);
                                            bank.total(1);
                                            throw new IOException("on purpose");
                                        }))
                .isExactlyInstanceOf(IOException.class)
                .hasMessage("on purpose");
        assertThat(heap.root().total()).isZero();
        assertThat(heap.root().accounts()).isEmpty();
        assertThat(objects()).isEqualTo(before);
    }

    @Test
    void aReadRefusesSetters() {
        assertThatThrownBy(() -> heap.view(bank -> bank.total(1)))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("A read can't change the heap");
    }

    @Test
    void whatADeletedObjectOwnedIsFreedAndItsUseRefused() {
        long before = objects();
        Account account =
                heap.create(
                        Account.class,
                        one -> {
                            one.owner("an owner whose name needs a block");
                            one.entries().put(1L, new Entry(Instant.EPOCH, 1, "needs a block too"));
                        });
        heap.root().first(account);
        heap.delete(account);
        assertThat(objects()).as("its place and its map's header stay").isEqualTo(before + 2);
        assertThatThrownBy(account::owner).isInstanceOf(DeletedObjectException.class);
        assertThatThrownBy(() -> account.balance(1)).isInstanceOf(DeletedObjectException.class);
        assertThatThrownBy(() -> heap.root().first())
                .as("through a stored reference")
                .isInstanceOf(DeletedObjectException.class);
        assertThatThrownBy(() -> heap.delete(account)).isInstanceOf(DeletedObjectException.class);
        Account another = heap.create(Account.class);
        assertThat(another).as("never another object").isNotEqualTo(account);
    }

    @Test
    void anObjectIsDeletedForTheRestOfItsTransaction() {
        Account account = heap.create(Account.class);
        heap.transaction(
                bank -> {
                    account.balance(1);
                    assertThat(account.balance()).isOne();
                    heap.delete(account);
                    assertThatThrownBy(account::balance).isInstanceOf(FarheapException.class);
                    assertThatThrownBy(() -> account.balance(2))
                            .isInstanceOf(FarheapException.class);
                });
    }

    @Test
    void theRootObjectCantBeDeleted() {
        assertThatThrownBy(() -> heap.delete(heap.root())).hasMessageContaining("root object");
    }

    @Test
    void anObjectOfAnotherHeapIsRefused() {
        try (PersistentHeap<Bank> other = PersistentHeap.inMemory(Bank.class)) {
            Account foreign = other.create(Account.class);
            assertThatThrownBy(() -> heap.root().first(foreign))
                    .hasMessageContaining("belongs to another heap");
        }
    }

    @Test
    void whatComesAfterTheCommitRunsOnce() {
        List<String> told = new ArrayList<>();
        heap.transaction(
                bank -> {
                    heap.afterCommit(() -> told.add("done"));
                    bank.total(1);
                    assertThat(told).isEmpty();
                });
        assertThat(told).containsExactly("done");
    }

    @Test
    void aRawPoolIsRefused() {
        Path file = directory.resolve("raw");
        try (ObjectPool raw = ObjectPool.at(file).layout("farheap-objects").size(SIZE).create()) {
            raw.setLong(raw.root(64), 0, 1);
        }
        assertThatThrownBy(() -> PersistentHeap.open(file, Bank.class))
                .hasMessageContaining("is not one of typed objects");
    }

    @Test
    void aRootOfAnotherTypeIsRefusedAndItsTypesDoNotGetIn() {
        Path file = directory.resolve("pool");
        PersistentHeap.openOrCreate(file, SIZE, Bank.class).close();
        long before = objectsIn(file);
        assertThatThrownBy(() -> PersistentHeap.open(file, Stranger.class))
                .hasMessageContaining("The root of this heap is a ")
                .hasMessageContaining("Bank, and ")
                .hasMessageContaining("Stranger was given");
        assertThat(objectsIn(file)).isEqualTo(before);
    }

    @Persistent
    interface Stranger {
        int number();

        void number(int value);
    }

    private static long objectsIn(Path file) {
        try (ObjectPool raw = ObjectPool.open(file, "farheap-objects")) {
            long[] count = {0};
            raw.objects().forEach(object -> count[0]++);
            return count[0];
        }
    }

    private long objects() {
        long[] count = {0};
        heap.pool().objects().forEach(object -> count[0]++);
        return count[0];
    }
}
