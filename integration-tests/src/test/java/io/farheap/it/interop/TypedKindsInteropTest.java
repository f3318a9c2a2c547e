package io.farheap.it.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.objects.PersistentHeap;
import io.farheap.objects.schema.Persistent;
import io.farheap.objects.schema.PersistentBlob;
import io.farheap.objects.schema.PersistentCounter;
import io.farheap.objects.schema.PersistentDeque;
import io.farheap.objects.schema.PersistentList;
import io.farheap.objects.schema.PersistentMap;
import io.farheap.objects.schema.PersistentSet;
import io.farheap.objects.schema.PersistentSortedMap;
import io.farheap.objects.schema.PersistentSortedSet;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program in C reads a field of every kind, and every element of a collection of every kind. */
class TypedKindsInteropTest {
    /** Enough for some levels of nodes and of buckets, and for segments of buckets. */
    private static final int MANY = 7000;

    private static final int BLOB_BYTES = (2 << 20) + 12_345;

    @TempDir Path directory;

    @Persistent(name = "kinds.Everything")
    interface Everything {
        boolean isFlag();

        void setFlag(boolean value);

        byte tiny();

        void tiny(byte value);

        short small();

        void small(short value);

        char letter();

        void letter(char value);

        int number();

        void number(int value);

        long large();

        void large(long value);

        float real();

        void real(float value);

        double precise();

        void precise(double value);

        Integer boxed();

        void boxed(Integer value);

        Instant instant();

        void instant(Instant value);

        Duration duration();

        void duration(Duration value);

        LocalDate day();

        void day(LocalDate value);

        LocalTime time();

        void time(LocalTime value);

        LocalDateTime local();

        void local(LocalDateTime value);

        UUID uuid();

        void uuid(UUID value);

        String text();

        void text(String value);

        String shortText();

        void shortText(String value);

        String nothing();

        void nothing(String value);

        BigInteger big();

        void big(BigInteger value);

        BigDecimal decimal();

        void decimal(BigDecimal value);

        byte[] bytes();

        void bytes(byte[] value);

        int[] numbers();

        void numbers(int[] value);

        String[] words();

        void words(String[] value);

        Color color();

        void color(Color value);

        Point point();

        void point(Point value);

        Note note();

        void note(Note value);

        Shape shape();

        void shape(Shape value);

        Everything other();

        void other(Everything value);

        Everything none();

        void none(Everything value);

        PersistentMap<String, Long> map();

        PersistentSet<String> set();

        PersistentSortedMap<Long, String> sortedMap();

        PersistentSortedSet<String> sortedSet();

        PersistentList<String> list();

        PersistentDeque<Long> deque();

        PersistentCounter counter();

        PersistentBlob blob();
    }

    @Persistent(name = "kinds.Color")
    enum Color {
        RED,
        GREEN
    }

    @Persistent(name = "kinds.Point")
    record Point(int x, int y) {}

    @Persistent(name = "kinds.Note")
    record Note(String text, int amount) {}

    @Persistent(name = "kinds.Shape")
    sealed interface Shape permits Square, Circle {}

    @Persistent(name = "kinds.Square")
    record Square(double side) implements Shape {}

    @Persistent(name = "kinds.Circle")
    record Circle(double radius) implements Shape {}

    @BeforeEach
    void nativeLibrary() {
        NativeJudge.require();
    }

    @Test
    void whatJavaStoredIsWhatCReads() throws IOException {
        Path file = directory.resolve("kinds.pool");
        List<String> wanted = new ArrayList<>();
        try (PersistentHeap<Everything> heap =
                PersistentHeap.openOrCreate(file, 64L << 20, Everything.class)) {
            heap.transaction(all -> setFields(heap, all, wanted));
            heap.transaction(all -> setSlots(all, wanted));
            fill(heap.root());
            heap.view(all -> tell(all, wanted));
        }
        NativeJudge.assertConsistent(file);
        NativeJudge.Answer answer = TypedPrograms.run("typed_kinds.c", file, directory);
        assertThat(answer.err()).isEmpty();
        assertThat(answer.exitCode()).isZero();
        assertThat(answer.out().lines().sorted()).isEqualTo(wanted.stream().sorted().toList());
    }

    private static void setFields(
            PersistentHeap<Everything> heap, Everything all, List<String> wanted) {
        all.setFlag(true);
        all.tiny((byte) -2);
        all.small((short) -300);
        all.letter('\u20ac');
        all.number(-70_000);
        all.large(1L << 40);
        all.real(1.5f);
        all.precise(-2.25);
        all.boxed(77);
        all.instant(Instant.ofEpochSecond(-5, 7));
        all.duration(Duration.ofSeconds(3, 4));
        all.day(LocalDate.ofEpochDay(12_345));
        all.time(LocalTime.ofNanoOfDay(678));
        all.local(LocalDateTime.of(LocalDate.ofEpochDay(-3), LocalTime.ofNanoOfDay(9)));
        all.uuid(new UUID(0x0123456789abcdefL, 0x8edcba9876543210L));
        all.color(Color.GREEN);
        all.point(new Point(-3, 4));
        all.note(new Note("a note that is too long for a slot", -12));
        all.shape(new Circle(2.5));
        all.other(heap.create(Everything.class, other -> other.large(99)));
        wanted.addAll(
                """
                flag=1
                tiny=-2
                small=-300
                letter=8364
                number=-70000
                large=1099511627776
                real=1.5
                precise=-2.25
                boxed=77
                instant=-5.000000007
                duration=3.000000004
                day=12345
                time=678
                local=-3,9
                uuid=0123456789abcdef8edcba9876543210
                color=green
                point=-3,4
                note=a note that is too long for a slot,-12
                shape=circle,2.5
                other=99
                none=1
                """
                        .lines()
                        .toList());
    }

    private static void setSlots(Everything all, List<String> wanted) {
        all.text("a text that is too long for a slot \u20ac");
        all.shortText("short");
        all.big(new BigInteger("-1234567890123456789012345678901234567890"));
        all.decimal(new BigDecimal("12.345"));
        all.bytes(new byte[] {1, -1, 127});
        all.numbers(new int[] {-1, 2, 1 << 30});
        all.words(new String[] {"one", "", "a word that is longer than the others"});
        wanted.addAll(
                """
                text=a text that is too long for a slot \u20ac
                shortText=short
                nothing=null
                big=fc5f36df8a3f240c475343a06931c0f52e
                decimal=3,3039
                bytes=01ff7f
                numbers[0]=-1
                numbers[1]=2
                numbers[2]=1073741824
                words[0]=one
                words[1]=
                words[2]=a word that is longer than the others
                """
                        .lines()
                        .toList());
    }

    private static String textOf(int number) {
        return "number " + number + (number % 3 == 0 ? ", and more than a slot has room for" : "");
    }

    private static void fill(Everything all) throws IOException {
        for (int i = 0; i < MANY; i++) {
            all.map().put(textOf(i), (long) i * i);
        }
        for (int i = 0; i < MANY / 10; i++) {
            all.set().add(textOf(i));
            all.sortedMap().put((long) i * 7919 % 10_007 - 5000, textOf(i));
            all.sortedSet().add(textOf(i));
            all.list().add(i / 2, textOf(i));
            if (i % 2 == 0) {
                all.deque().addFirst((long) i);
            } else {
                all.deque().addLast((long) i);
            }
        }
        all.map().remove(textOf(7));
        all.sortedMap().pollFirstEntry();
        all.counter().add(1000);
        all.counter().add(-1);
        try (OutputStream out = all.blob().newOutputStream()) {
            byte[] bytes = new byte[BLOB_BYTES];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) (i * 31);
            }
            out.write(bytes);
        }
    }

    /** What the program has to print of the collections. */
    private static void tell(Everything all, List<String> wanted) {
        wanted.add("map.size=" + all.map().size());
        all.map()
                .forEach(
                        (key, value) ->
                                wanted.addAll(List.of("map: " + key, "map of " + key, "" + value)));
        wanted.add("set.size=" + all.set().size());
        all.set().forEach(element -> wanted.add("set: " + element));
        List<Long> keys = List.copyOf(all.sortedMap().keySet());
        for (int i = 0; i < keys.size(); i++) {
            wanted.add("sortedMap[" + i + "]=" + keys.get(i));
            wanted.add("sortedMap[" + i + "] has " + all.sortedMap().get(keys.get(i)));
        }
        tell("sortedSet", List.copyOf(all.sortedSet()), wanted);
        tell("list", List.copyOf(all.list()), wanted);
        tell("deque", List.copyOf(all.deque()), wanted);
        wanted.add("counter=" + all.counter().get());
        wanted.add("blob=" + all.blob().size() + "," + sum(all.blob()));
    }

    private static void tell(String what, List<?> elements, List<String> wanted) {
        for (int i = 0; i < elements.size(); i++) {
            wanted.add(what + "[" + i + "]=" + elements.get(i));
        }
    }

    private static long sum(PersistentBlob blob) {
        try {
            byte[] bytes = blob.newInputStream().readAllBytes();
            long sum = 0;
            for (int i = 0; i < bytes.length; i++) {
                sum += (bytes[i] & 0xFFL) * (i % 7 + 1);
            }
            return sum;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
