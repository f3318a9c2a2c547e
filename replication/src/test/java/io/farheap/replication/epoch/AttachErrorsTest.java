package io.farheap.replication.epoch;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.base.ReplicaPolicy;
import io.farheap.testing.inject.InjectingLoader;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * An error, of the JVM's or any other, wherever an attach calls a method or makes an object, on its
 * thread or on one of its steps': the attach succeeds or fails, the next one succeeds, commits
 * reach the replica, and no thread or connection stays behind.
 */
class AttachErrorsTest {
    /** Every so many places; {@code -Dfarheap.errors.attach=1}: in each. */
    private static final int STRIDE =
            Integer.getInteger("farheap.errors.attach", Boolean.getBoolean("test.deep") ? 31 : 127);

    private static final String REPLICATION = "io.farheap.replication";

    private static final Set<String> PACKAGES =
            Set.of(
                    REPLICATION,
                    REPLICATION + ".config",
                    REPLICATION + ".control",
                    REPLICATION + ".dirty",
                    REPLICATION + ".epoch",
                    REPLICATION + ".fabric",
                    REPLICATION + ".fabric.tcp",
                    REPLICATION + ".journal",
                    REPLICATION + ".scrub",
                    REPLICATION + ".session",
                    REPLICATION + ".stream");

    private static final int FIRST = Integer.getInteger("farheap.errors.attach.first", 1);

    @TempDir private Path directory;

    @ParameterizedTest
    @Tag("sliced")
    @EnumSource(
            value = ReplicaPolicy.class,
            names = {"FAIL", "DEGRADE"})
    @Timeout(1800)
    void anErrorAnywhereLeavesNothingBehind(ReplicaPolicy policy) throws Exception {
        List<Object> figures = rounds(policy).call();

        List<?> wrong = (List<?>) figures.get(1);
        System.out.println("Errors injected into attaches of " + policy + ": " + figures.get(0));
        assertThat(wrong).isEmpty();
        assertThat((int) figures.get(0)).isGreaterThan((600 - FIRST) / STRIDE);
    }

    @SuppressWarnings("unchecked")
    private Callable<List<Object>> rounds(ReplicaPolicy policy)
            throws ReflectiveOperationException {
        try {
            return (Callable<List<Object>>)
                    Class.forName(
                                    AttachErrorRounds.class.getName(),
                                    true,
                                    new InjectingLoader(AttachErrorsTest::isOfAttach, Set.of()))
                            .getConstructor(Path.class, int.class, int.class, String.class)
                            .newInstance(directory, FIRST, STRIDE, policy.name());
        } catch (InvocationTargetException e) {
            throw new AssertionError(e.getCause());
        }
    }

    private static boolean isOfAttach(String name) {
        URL tests = AttachErrorsTest.class.getProtectionDomain().getCodeSource().getLocation();
        URL found =
                AttachErrorsTest.class
                        .getClassLoader()
                        .getResource(name.replace('.', '/') + ".class");
        return PACKAGES.contains(name.substring(0, name.lastIndexOf('.')))
                && !found.toString().startsWith(tests.toString());
    }
}
