package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.base.AllocationClassDescriptor;
import io.farheap.base.AllocationOptions;
import io.farheap.base.FailureBehavior;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.ListAt;
import io.farheap.base.LogType;
import io.farheap.base.PersistenceDomain;
import io.farheap.base.Ref;
import io.farheap.base.ReplicaPolicy;
import io.farheap.base.StageCallback;
import io.farheap.base.StatisticsMode;
import io.farheap.engine.ClassPathReplicas;
import io.farheap.pmemobj.Actions;
import io.farheap.pmemobj.MemoryOption;
import io.farheap.pmemobj.ObjectConstructor;
import io.farheap.pmemobj.ObjectList;
import io.farheap.pmemobj.PoolLocks;
import io.farheap.pmemobj.PoolMutex;
import io.farheap.pmemobj.SnapshotOption;
import io.farheap.spi.ReplicaSinkProvider;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every public method, with null for each of its arguments in turn: it is refused before anything
 * happens, by the argument's name; a reference to an object as any other wrong one.
 */
class NullArgumentsTest {
    private static final long TYPE = 7;

    /** Where null means something: no layout asked for, no data any more. */
    private static final Set<String> NULLABLE =
            Set.of(
                    "ObjectPool.open/1",
                    "ObjectPool.openOrCreate/1",
                    "ObjectPool.openReplica/1",
                    "ObjectPool.check/1",
                    "PoolBuilder.layout/0",
                    "ObjectPool.setUserData/0",
                    "Transaction.setUserData/0");

    private static final Set<Class<?>> OF_A_TRANSACTION =
            Set.of(Transaction.class, RawTransaction.class);

    private final ObjectPool pool =
            SimulatedPool.open(SimulatedPool.formatted(), SimulatedPool.IMPATIENT);
    private final Map<Class<?>, Object> values = new HashMap<>();
    private final List<String> wrong = new ArrayList<>();
    private int calls;
    private long objects;
    private Path absent;
    private Actions actions;

    @BeforeEach
    void makeArguments(@TempDir Path directory) {
        Ref object = pool.atomic().allocateZeroed(4096, TYPE);
        Ref root = pool.root(4096);
        absent = directory.resolve("absent");
        actions = pool.actions();
        PoolLocks locks = pool.locks();
        values.put(Ref.class, object);
        values.put(long.class, 64L);
        values.put(int.class, 1);
        values.put(byte.class, (byte) 1);
        values.put(short.class, (short) 1);
        values.put(char.class, 'a');
        values.put(float.class, 1.0f);
        values.put(double.class, 1.0);
        values.put(boolean.class, false);
        values.put(String.class, "prefault.at_open=1");
        values.put(Path.class, absent);
        values.put(MemorySegment.class, Arena.ofAuto().allocate(4096));
        values.put(TimeUnit.class, TimeUnit.MILLISECONDS);
        values.put(Duration.class, Duration.ofMillis(1));
        values.put(Object.class, "data");
        values.put(byte[].class, new byte[8]);
        values.put(Consumer.class, (Consumer<Object>) given -> {});
        values.put(Function.class, (Function<Object, Object>) given -> given);
        values.put(Supplier.class, (Supplier<Object>) () -> "made");
        values.put(Collection.class, List.of());
        values.put(Lock.class, new ReentrantLock());
        values.put(AnyTransactionBody.class, (AnyTransactionBody) tx -> {});
        values.put(AnyTransactionFunction.class, (AnyTransactionFunction<String>) tx -> "");
        values.put(TransactionBody.class, (TransactionBody<RuntimeException>) tx -> {});
        values.put(
                TransactionFunction.class,
                (TransactionFunction<String, RuntimeException, Transaction>) tx -> "");
        values.put(ObjectConstructor.class, (ObjectConstructor) fresh -> {});
        values.put(StageCallback.class, (StageCallback) stage -> {});
        values.put(FailureBehavior.class, FailureBehavior.RETURN);
        values.put(LogType.class, LogType.values()[0]);
        values.put(StatisticsMode.class, StatisticsMode.TRANSIENT);
        values.put(AllocationOptions.class, AllocationOptions.DEFAULT);
        values.put(
                AllocationClassDescriptor.HeaderType.class,
                AllocationClassDescriptor.HeaderType.COMPACT);
        values.put(
                AllocationClassDescriptor.class,
                new AllocationClassDescriptor(
                        200, 4096, 0, 60, AllocationClassDescriptor.HeaderType.COMPACT));
        values.put(PersistenceDomain.class, PersistenceDomain.PAGE_CACHE);
        values.put(ReplicaPolicy.class, ReplicaPolicy.FAIL);
        values.put(PoolOptions.class, PoolOptions.defaults());
        values.put(TransactionOptions.class, TransactionOptions.DEFAULT);
        values.put(ReplicaSinkProvider.class, ClassPathReplicas.of(absent));
        values.put(TransactionLock.class, new TransactionLock());
        values.put(MemoryOption.class, MemoryOption.RELAXED);
        values.put(SnapshotOption.class, SnapshotOption.NO_FLUSH);
        values.put(ListAt.class, ListAt.inRoot(0, 0));
        values.put(PoolMutex.class, locks.mutex(object, 128));
        values.put(ObjectList.class, pool.list(root, 0, 0));
        values.put(Actions.class, actions);
        objects = count();
    }

    @AfterEach
    void close() {
        actions.close();
        pool.close();
    }

    private long count() {
        long count = 0;
        for (Ref unused : pool.objects()) {
            count++;
        }
        return count;
    }

    @Test
    void isRefusedByEveryMethod() {
        Ref object = (Ref) values.get(Ref.class);
        PoolLocks locks = pool.locks();
        Stream.of(ObjectPool.class, OpenPools.class).forEach(type -> callAll(type, null));
        Stream.of(
                        pool,
                        pool.atomic(),
                        pool.memory(),
                        pool.memory().raw(),
                        pool.raw(),
                        pool.heap(),
                        pool.control(),
                        pool.transactions(),
                        pool.actions(),
                        actions.reserve(4096, TYPE),
                        locks,
                        locks.mutex(object, 128),
                        locks.readWriteLock(object, 256),
                        locks.readWriteLock(object, 256).readLock(),
                        locks.condition(object, 512),
                        locks.volatileValue(object, 1024),
                        values.get(ObjectList.class),
                        ObjectPool.at(absent),
                        PoolOptions.defaults(),
                        PoolOptions.builder(),
                        TransactionOptions.DEFAULT)
                .forEach(target -> callAll(target.getClass(), target));
        callAll(Transaction.class, null);
        callAll(RawTransaction.class, null);

        assertThat(wrong).isEmpty();
        assertThat(calls).as("the methods were found").isGreaterThan(100);
        assertThat(Files.exists(absent)).isFalse();
    }

    private void callAll(Class<?> type, Object target) {
        Class<?> above = type.getSuperclass();
        if (above != null && above.getPackageName().equals("io.farheap")) {
            callAll(above, target);
        }
        if (target != null) {
            Stream.of(type.getInterfaces())
                    .filter(face -> face.getPackageName().equals("io.farheap"))
                    .forEach(face -> callAll(face, target));
        }
        for (Method method : type.getDeclaredMethods()) {
            boolean takes = target != null || OF_A_TRANSACTION.contains(type);
            if (Modifier.isPublic(method.getModifiers())
                    && !method.isBridge()
                    && !method.getName().equals("equals")
                    && Modifier.isStatic(method.getModifiers()) != takes) {
                method.setAccessible(true);
                callWithNulls(type, target, method);
            }
        }
    }

    private void callWithNulls(Class<?> type, Object target, Method method) {
        Class<?>[] types = method.getParameterTypes();
        for (int i = 0; i < types.length; i++) {
            String what = type.getSimpleName() + "." + method.getName() + "/" + i;
            if (types[i].isPrimitive() || NULLABLE.contains(what)) {
                continue;
            }
            check(
                    what + " of " + Arrays.toString(types),
                    target,
                    method,
                    arguments(types, i, null));
            if (method.isVarArgs() && i == types.length - 1) {
                Object withNull = Array.newInstance(types[i].getComponentType(), 1);
                check(what + "[]", target, method, arguments(types, i, withNull));
            }
        }
    }

    private Object[] arguments(Class<?>[] types, int at, Object wanted) {
        Object[] arguments = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            arguments[i] = i == at ? wanted : value(types[i]);
        }
        return arguments;
    }

    private Object value(Class<?> type) {
        Object value = values.get(type);
        if (value == null && type.isArray()) {
            return Array.newInstance(type.getComponentType(), 0);
        }
        if (value == null && type.isEnum()) {
            return type.getEnumConstants()[0];
        }
        return Objects.requireNonNull(value, () -> "no value for " + type);
    }

    private void check(String what, Object target, Method method, Object[] arguments) {
        Throwable thrown;
        if (OF_A_TRANSACTION.contains(method.getDeclaringClass())) {
            Throwable[] inside = new Throwable[1];
            pool.transaction(
                    TransactionOptions.DEFAULT.onFailure(FailureBehavior.RETURN),
                    tx -> {
                        Object face =
                                method.getDeclaringClass() == Transaction.class ? tx : tx.raw();
                        inside[0] = thrownBy(face, method, arguments);
                    });
            thrown = inside[0];
        } else {
            thrown = thrownBy(target, method, arguments);
        }
        calls++;
        if (!isRefusal(thrown)) {
            wrong.add(what + ": " + thrown);
        }
        if (!pool.check().isConsistent() || count() != objects) {
            wrong.add(what + " did something");
        }
    }

    private static Throwable thrownBy(Object target, Method method, Object[] arguments) {
        try {
            Object unused = method.invoke(target, arguments);
            return null;
        } catch (InvocationTargetException e) {
            return e.getCause();
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean isRefusal(Throwable thrown) {
        if (thrown instanceof NullPointerException) {
            return thrown.getStackTrace()[0].getClassName().equals(Objects.class.getName())
                    && thrown.getMessage() != null;
        }
        return thrown instanceof FarheapException
                && ((FarheapException) thrown).category() == Category.WRONG_USE
                && thrown.getMessage().contains("null");
    }
}
