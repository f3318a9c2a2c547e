package io.farheap.objects;

/**
 * What happens in one transaction or read, with a result.
 *
 * <p>Java prefers this to {@link AnyHeapFunction}, because it is a subtype, and finds E. Kotlin
 * can't find E, so it must prefer the other one; it does where the parameter's type is more general
 * there than here, and {@code X} is what makes it so.
 *
 * @param <R> the heap's root object
 * @param <T> the result
 * @param <E> what it may throw besides unchecked exceptions; any of them aborts and travels on
 * @param <X> the root object: always R
 */
@FunctionalInterface
public interface HeapFunction<R, T, E extends Exception, X extends R>
        extends AnyHeapFunction<R, T> {
    /** As {@link #apply}, and says what it throws. */
    T compute(X root) throws E;

    @Override
    @SuppressWarnings("unchecked") // X is R wherever the heap makes one
    default T apply(R root) throws E {
        return compute((X) root);
    }
}
