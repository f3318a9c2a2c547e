package io.farheap.objects;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.objects.schema.Named;
import io.farheap.objects.schema.Persistent;
import io.farheap.objects.schema.PersistentMap;
import io.farheap.objects.schema.PersistentSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class PersistentTypesTest {
    @Persistent
    interface Wrong {
        List<String> names();

        void lonely(int value);

        int both(int one, int two);

        Thread thread();

        void thread(Thread value);

        long mixed();

        void mixed(int value);

        int getTwice();

        int twice();

        PersistentMap<byte[], String> keys();

        PersistentMap<String, PersistentSet<String>> nested();

        PersistentSet<String> set();

        void set(PersistentSet<String> value);

        Unmarked unmarked();

        Inner inner();

        Pair<String, Long> pair();
    }

    record Pair<A, B>(A one, B other) {}

    interface Unmarked {}

    record Inner(Object anything, PersistentSet<String> set) {}

    @Persistent
    interface Generic<T> {
        T value();
    }

    @Test
    void allMistakesAreToldAtOnce() {
        assertThatThrownBy(() -> PersistentTypes.check(Wrong.class, Generic.class))
                .hasMessageContainingAll(
                        "Wrong.names() has type List<String>, which can't be"
                                + " stored: use PersistentMap or another persistent collection.",
                        "Wrong.lonely(int) sets lonely, which no method gets: add a getter.",
                        "Wrong.both(int, int) neither gets a field",
                        "Wrong.thread() has type Thread, which can't be stored",
                        "Wrong.mixed(int) sets int where Wrong.mixed() gets long.",
                        "gets twice, and so does Wrong.",
                        "Wrong.keys() has arrays for keys",
                        "Wrong.nested() has a collection (PersistentSet) inside a value or another",
                        "Wrong.set(PersistentSet) sets a collection, which belongs to its object",
                        "Wrong.unmarked() has type Unmarked, an interface",
                        "Wrong.pair() has type Pair<String, Long>, a record with type parameters",
                        "Inner.anything() has type Object, which can't be stored",
                        "Inner.set() is a collection in a record",
                        "Generic has type parameters");
    }

    @Test
    void whatIsNoPersistentInterfaceIsRefused() {
        assertThatThrownBy(() -> PersistentTypes.check(Unmarked.class))
                .hasMessageContaining("is no interface marked @Persistent");
    }

    @Persistent
    interface Renamed {
        @Named("name")
        String title();

        String name();

        @Named({"old", "one"})
        long one();

        @Named("old")
        long other();

        Part part();
    }

    record Part(@Named({"x", "y"}) int x, int y) {}

    @Test
    void aFormerNameIsOfOneFieldAlone() {
        assertThatThrownBy(() -> PersistentTypes.check(Renamed.class))
                .hasMessageContainingAll(
                        "Renamed.title() was name before, which Renamed.name() is now",
                        "Renamed.other() was old before, and so was Renamed.one():",
                        "Part.x() was y before, which Part.y() is now: in older objects and records"
                                + " both would be the same field. Give the newer one another"
                                + " name.")
                .message()
                .doesNotContain("was one before", "was x before");
    }
}
