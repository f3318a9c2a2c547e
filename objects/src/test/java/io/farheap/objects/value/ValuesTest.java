package io.farheap.objects.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ObjectPool;
import io.farheap.base.FarheapException;
import io.farheap.objects.transaction.HeapTransactions;
import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ValuesTest {
    private static final int SLOT = 16;

    @TempDir Path directory;

    private ObjectPool pool;
    private HeapTransactions heap;
    private long object;

    enum Color {
        RED,
        GREEN,
        BLUE
    }

    record Kind(String name, ValueType<Object> type, List<Object> values) {
        @SuppressWarnings("unchecked")
        static <T> Kind of(ValueType<T> type, List<T> values) {
            return new Kind(type.text(), (ValueType<Object>) type, (List<Object>) values);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Kind> kinds() {
        return Stream.of(
                Kind.of(LongType.LONG, List.of(0L, -1L, Long.MIN_VALUE, Long.MAX_VALUE)),
                Kind.of(Primitives.INT, List.of(0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE)),
                Kind.of(Primitives.SHORT, List.of((short) 0, (short) -1, Short.MIN_VALUE)),
                Kind.of(Primitives.BYTE, List.of((byte) 0, (byte) -1, Byte.MIN_VALUE)),
                Kind.of(Primitives.CHAR, List.of('\0', 'a', '\uffff')),
                Kind.of(Primitives.BOOLEAN, List.of(false, true)),
                Kind.of(Primitives.FLOAT, List.of(0f, -0f, Float.NaN, Float.MIN_VALUE, -1f)),
                Kind.of(Primitives.DOUBLE, List.of(0d, -0d, Double.NaN, Double.MAX_VALUE, -1d)),
                Kind.of(
                        StringType.STRING,
                        List.of(
                                "",
                                "a",
                                "b",
                                "fifteen letters",
                                "sixteen letters.",
                                "sixteen letters!",
                                "sixt",
                                "\0",
                                "äöü",
                                "ääääääää",
                                "\uffee",
                                "\ud83d\ude00",
                                "sixt\uffee and more than fifteen",
                                "sixt\ud83d\ude00 and more than fifteen",
                                "x".repeat(100_000))),
                Kind.of(
                        NumberTypes.BIG_INTEGER,
                        List.of(BigInteger.ZERO, BigInteger.TWO.pow(2000), BigInteger.TEN)),
                Kind.of(
                        NumberTypes.BIG_DECIMAL,
                        List.of(
                                BigDecimal.ZERO,
                                new BigDecimal("1.10"),
                                new BigDecimal("1.1"),
                                new BigDecimal("-1e-900"))),
                Kind.of(
                        TwoNumbersType.INSTANT,
                        List.of(Instant.EPOCH, Instant.MIN, Instant.MAX, Instant.ofEpochMilli(-1))),
                Kind.of(
                        TwoNumbersType.DURATION,
                        List.of(Duration.ZERO, Duration.ofSeconds(Long.MIN_VALUE))),
                Kind.of(
                        TwoNumbersType.LOCAL_DATE,
                        List.of(LocalDate.EPOCH, LocalDate.MIN, LocalDate.MAX)),
                Kind.of(TwoNumbersType.LOCAL_TIME, List.of(LocalTime.MIN, LocalTime.MAX)),
                Kind.of(
                        TwoNumbersType.LOCAL_DATE_TIME,
                        List.of(LocalDateTime.MIN, LocalDateTime.MAX)),
                Kind.of(TwoNumbersType.UUID, List.of(new UUID(0, 0), new UUID(-1, 5))),
                Kind.of(
                        new EnumType<>(
                                Color.class, "Color", List.of("BLUE", "BLACK", "RED", "GREEN")),
                        List.of(Color.RED, Color.GREEN, Color.BLUE)));
    }

    @BeforeEach
    void create() {
        pool = ObjectPool.at(directory.resolve("pool")).layout("values").size(16 << 20).create();
        heap = new HeapTransactions(pool);
        object = heap.transaction(tx -> tx.allocate(64, 7));
    }

    @AfterEach
    void close() {
        pool.close();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aValueComesBackFromASlot(Kind kind) {
        for (Object value : kind.values) {
            store(kind.type, value);
            assertThat(load(kind.type)).isEqualTo(value);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aValueComesBackFromTheInsideOfAnother(Kind kind) {
        for (Object value : kind.values) {
            ValueImage image = new ValueImage(kind.type.imageSize() + 8);
            kind.type.store(image, 8, value);
            ValueImage read = new ValueImage(image.toBytes());
            assertThat(kind.type.load(null, read, 8)).isEqualTo(value);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aSlotEqualsItsValueAndNoOther(Kind kind) {
        for (Object value : kind.values) {
            store(kind.type, value);
            for (Object other : kind.values) {
                boolean isEqual = heap.read(tx -> kind.type.isEqual(tx, object, SLOT, other));
                assertThat(isEqual).as("%s and %s", value, other).isEqualTo(value.equals(other));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @SuppressWarnings("unchecked")
    void slotsAreOrderedAsTheirValues(Kind kind) {
        for (Object value : kind.values) {
            store(kind.type, value);
            for (Object other : kind.values) {
                int order = heap.read(tx -> kind.type.compare(tx, object, SLOT, other));
                assertThat(Integer.signum(order))
                        .as("%s against %s", value, other)
                        .isEqualTo(Integer.signum(((Comparable<Object>) value).compareTo(other)));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aReleasedSlotLeavesNoBlock(Kind kind) {
        long before = objects();
        kind.values.forEach(value -> store(kind.type, value));
        heap.transaction(
                tx -> {
                    kind.type.release(tx, object, SLOT);
                    return null;
                });
        assertThat(objects()).isEqualTo(before);
    }

    @Test
    void hashesAreThoseOfEveryRun() {
        assertThat(StringType.STRING.hash("Ada")).isEqualTo(LongType.hashOf("Ada".hashCode()));
        assertThat(LongType.LONG.hash(42L)).isEqualTo(-182_847_378);
        assertThat(NumberTypes.BIG_DECIMAL.hash(new BigDecimal("1.10")))
                .isEqualTo(NumberTypes.BIG_DECIMAL.hash(new BigDecimal("1.10")));
    }

    @Test
    void nullIsASlotOfZeros() {
        assertThat(load(StringType.STRING)).isNull();
        store(StringType.STRING, "something that is longer than a slot");
        store(StringType.STRING, null);
        byte[] slot = new byte[ValueSlot.BYTES];
        heap.read(
                tx -> {
                    tx.read(object, SLOT, MemorySegment.ofArray(slot), 0, 16);
                    return null;
                });
        assertThat(slot).containsOnly(0);
    }

    @Test
    void halfACharacterIsRefused() {
        assertThatThrownBy(() -> store(StringType.STRING, "ab\ud83d"))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("half a character at index 2");
    }

    @Test
    void arraysOfEachKindComeBack() {
        ValueType<Object> strings = new ArrayType(String.class, StringType.STRING);
        String[] words = {"a", null, "a word that is longer than a slot", ""};
        store(strings, words);
        assertThat(load(strings)).isEqualTo(words);
        ValueType<Object> ints = new ArrayType(int.class, Primitives.INT);
        store(ints, new int[] {1, -2, 3});
        assertThat(load(ints)).isEqualTo(new int[] {1, -2, 3});
        store(ints, new int[0]);
        assertThat(load(ints)).isEqualTo(new int[0]);
        store(ArrayType.BYTES, new byte[] {1, 2});
        assertThat(load(ArrayType.BYTES)).isEqualTo(new byte[] {1, 2});
        assertThat(ints.hash(new int[] {1})).isEqualTo(ints.hash(new int[] {1}));
    }

    @Test
    void aDamagedSlotIsRefusedBeforeItIsFollowed() {
        store(StringType.STRING, "something that is longer than a slot");
        heap.transaction(
                tx -> {
                    tx.setInt(object, SLOT, Integer.MAX_VALUE);
                    return null;
                });
        assertThatThrownBy(() -> load(StringType.STRING))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("is damaged");
    }

    @Test
    void aNumberThatNoConstantHasIsRefused() {
        ValueType<Color> type =
                new EnumType<>(Color.class, "Color", List.of("RED", "GREEN", "BLUE", "PINK"));
        setShort((short) 4);
        assertThatThrownBy(() -> load(type)).hasMessageContaining("Color.PINK");
        setShort((short) 5);
        assertThatThrownBy(() -> load(type)).hasMessageContaining("constant 5");
    }

    private void setShort(short value) {
        heap.transaction(
                tx -> {
                    tx.setShort(object, SLOT, value);
                    return null;
                });
    }

    private <T> void store(ValueType<T> type, T value) {
        heap.transaction(
                tx -> {
                    type.set(tx, object, SLOT, value);
                    return null;
                });
    }

    private <T> T load(ValueType<T> type) {
        return heap.read(tx -> type.get(tx, object, SLOT));
    }

    private long objects() {
        long[] count = {0};
        pool.objects().forEach(ref -> count[0]++);
        return count[0];
    }
}
