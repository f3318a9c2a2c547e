package io.farheap.testing.errors;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.memory.FenceErrorRounds;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An error of the JVM ends one of several fences of the page cache: the others end, too. */
class FenceErrorsTest {
    @TempDir private Path directory;

    private Class<?> instrumented;
    private AutoCloseable rounds;

    @BeforeEach
    void load() throws ReflectiveOperationException {
        instrumented =
                Class.forName(FenceErrorRounds.class.getName(), true, TransactionErrors.loader());
        rounds =
                (AutoCloseable)
                        instrumented
                                .getConstructor(Path.class)
                                .newInstance(directory.resolve("image"));
    }

    @AfterEach
    void close() throws Exception {
        rounds.close();
    }

    @Test
    void whoIsBehindTheOneThatWasToBeWoken() throws Exception {
        call(instrumented.getMethod("theOneThatIsWoken"));
    }

    @Test
    void whoWaitsBesideOneThatMeetsAnErrorAnywhere() throws Exception {
        assertThat(untilOver("theOneThatComes")).isGreaterThan(5);
    }

    @Test
    void whoWaitsForASyncThatIsDone() throws Exception {
        assertThat(untilOver("theOneThatSyncs")).isGreaterThan(3);
    }

    /** How many places there were. */
    private int untilOver(String round) throws Exception {
        int at = 1;
        while ((boolean) call(instrumented.getMethod(round, int.class), at)) {
            at++;
        }
        return at - 1;
    }

    private Object call(Method method, Object... arguments) throws Exception {
        try {
            return method.invoke(rounds, arguments);
        } catch (InvocationTargetException e) {
            throw new AssertionError(e.getCause());
        }
    }
}
