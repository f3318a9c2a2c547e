package io.farheap.testing.errors;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * An error, of the JVM's or any other, wherever a transaction calls a method or makes an object:
 * everything is given back, the pool has the old state or the new one, and goes on, or says that it
 * is to be opened again.
 */
class ErrorInjectionTest {
    /** Every so many places; {@code -Dfarheap.errors.stride=1}: in each. */
    private static final int SOME =
            Integer.getInteger("farheap.errors.stride", Boolean.getBoolean("test.deep") ? 11 : 47);

    private static final int MANY = Integer.getInteger("farheap.errors.stride", 3);

    @TempDir private Path directory;

    @Test
    @Tag("sliced")
    @Timeout(900) // a lock or a sync that is not given back is waited for
    void anErrorAnywhereLeavesNothingBehind() throws Exception {
        requireNothingLeft(SOME);
    }

    @Test
    @Tag("deep")
    @Timeout(900)
    void anErrorInManyPlacesLeavesNothingBehind() throws Exception {
        requireNothingLeft(MANY);
    }

    private void requireNothingLeft(int stride) throws Exception {
        Map<String, int[]> figures = rounds(stride).call();

        int injected = 0;
        int broken = 0;
        for (Map.Entry<String, int[]> change : figures.entrySet()) {
            injected += change.getValue()[0];
            broken += change.getValue()[1];
            assertThat(change.getValue()[0]).as(change.getKey()).isGreaterThan(15 / stride);
        }
        System.out.println(
                "Errors injected: " + injected + ", pools to be opened again: " + broken);
        assertThat(broken).as("pools that must be opened again").isLessThan(injected / 2);
    }

    @SuppressWarnings("unchecked")
    private Callable<Map<String, int[]>> rounds(int stride) throws ReflectiveOperationException {
        try {
            return (Callable<Map<String, int[]>>)
                    Class.forName(ErrorRounds.class.getName(), true, TransactionErrors.loader())
                            .getConstructor(Path.class, int.class)
                            .newInstance(directory.resolve("errors.pool"), stride);
        } catch (InvocationTargetException e) {
            throw new AssertionError(e.getCause());
        }
    }
}
