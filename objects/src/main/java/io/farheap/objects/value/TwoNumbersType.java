package io.farheap.objects.value;

import io.farheap.objects.transaction.HeapTransaction;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.UUID;

/**
 * Values of two numbers.
 *
 * <pre>
 * Instant, Duration  0  seconds, 8 B         8  nanoseconds, 4 B     12 B, at a multiple of 4
 * LocalDate          0  day since 1970, 8 B                           8 B
 * LocalTime          0  nanosecond of the day, 8 B                    8 B
 * LocalDateTime      0  day since 1970, 8 B  8  nanosecond of the day, 8 B
 * UUID               0  its upper half, 8 B  8  its lower half, 8 B
 * </pre>
 */
public abstract class TwoNumbersType<T> extends ImageType<T> {
    private static final int SECOND = Long.BYTES;

    public static final ValueType<Instant> INSTANT =
            new TwoNumbersType<>("Instant", 12, 4) {
                @Override
                Instant load(HeapTransaction tx, ValueImage image, int at) {
                    return Instant.ofEpochSecond(image.getLong(at), image.getInt(at + SECOND));
                }

                @Override
                void store(ValueImage image, int at, Instant value) {
                    image.putLong(at, value.getEpochSecond());
                    image.putInt(at + SECOND, value.getNano());
                }

                @Override
                public int hash(Instant value) {
                    return hash(value.getEpochSecond(), value.getNano());
                }
            };

    public static final ValueType<Duration> DURATION =
            new TwoNumbersType<>("Duration", 12, 4) {
                @Override
                Duration load(HeapTransaction tx, ValueImage image, int at) {
                    return Duration.ofSeconds(image.getLong(at), image.getInt(at + SECOND));
                }

                @Override
                void store(ValueImage image, int at, Duration value) {
                    image.putLong(at, value.getSeconds());
                    image.putInt(at + SECOND, value.getNano());
                }

                @Override
                public int hash(Duration value) {
                    return hash(value.getSeconds(), value.getNano());
                }
            };

    public static final ValueType<LocalDate> LOCAL_DATE =
            new TwoNumbersType<>("LocalDate", 8, 8) {
                @Override
                LocalDate load(HeapTransaction tx, ValueImage image, int at) {
                    return LocalDate.ofEpochDay(image.getLong(at));
                }

                @Override
                void store(ValueImage image, int at, LocalDate value) {
                    image.putLong(at, value.toEpochDay());
                }

                @Override
                public int hash(LocalDate value) {
                    return LongType.hashOf(value.toEpochDay());
                }
            };

    public static final ValueType<LocalTime> LOCAL_TIME =
            new TwoNumbersType<>("LocalTime", 8, 8) {
                @Override
                LocalTime load(HeapTransaction tx, ValueImage image, int at) {
                    return LocalTime.ofNanoOfDay(image.getLong(at));
                }

                @Override
                void store(ValueImage image, int at, LocalTime value) {
                    image.putLong(at, value.toNanoOfDay());
                }

                @Override
                public int hash(LocalTime value) {
                    return LongType.hashOf(value.toNanoOfDay());
                }
            };

    public static final ValueType<LocalDateTime> LOCAL_DATE_TIME =
            new TwoNumbersType<>("LocalDateTime", 16, 8) {
                @Override
                LocalDateTime load(HeapTransaction tx, ValueImage image, int at) {
                    return LocalDateTime.of(
                            LocalDate.ofEpochDay(image.getLong(at)),
                            LocalTime.ofNanoOfDay(image.getLong(at + SECOND)));
                }

                @Override
                void store(ValueImage image, int at, LocalDateTime value) {
                    image.putLong(at, value.toLocalDate().toEpochDay());
                    image.putLong(at + SECOND, value.toLocalTime().toNanoOfDay());
                }

                @Override
                public int hash(LocalDateTime value) {
                    return hash(
                            value.toLocalDate().toEpochDay(), value.toLocalTime().toNanoOfDay());
                }
            };

    public static final ValueType<UUID> UUID =
            new TwoNumbersType<>("UUID", 16, 8) {
                @Override
                UUID load(HeapTransaction tx, ValueImage image, int at) {
                    return new UUID(image.getLong(at), image.getLong(at + SECOND));
                }

                @Override
                void store(ValueImage image, int at, UUID value) {
                    image.putLong(at, value.getMostSignificantBits());
                    image.putLong(at + SECOND, value.getLeastSignificantBits());
                }

                @Override
                public int hash(UUID value) {
                    return hash(value.getMostSignificantBits(), value.getLeastSignificantBits());
                }
            };

    private final String text;
    private final int size;
    private final int alignment;

    private TwoNumbersType(String text, int size, int alignment) {
        this.text = text;
        this.size = size;
        this.alignment = alignment;
    }

    static int hash(long first, long second) {
        return LongType.hashOf(31 * LongType.hashOf(first) + second);
    }

    @Override
    public final int size() {
        return size;
    }

    @Override
    public final int alignment() {
        return alignment;
    }

    @Override
    public final boolean isComparable() {
        return true;
    }

    @Override
    public final boolean isNullable() {
        return false;
    }

    @Override
    public final String text() {
        return text;
    }
}
