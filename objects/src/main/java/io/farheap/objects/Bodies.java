package io.farheap.objects;

import java.util.Objects;

/** Bodies of transactions and reads, whatever they throw, for what declares no exception. */
final class Bodies {
    private Bodies() {}

    /** A body whose exceptions, checked ones too, travel through what declares none. */
    interface Unchecked<R, T> {
        T apply(R root);
    }

    static <R, T> Unchecked<R, T> ofFunction(AnyHeapFunction<R, T> body) {
        Objects.requireNonNull(body, "body");
        return root -> {
            try {
                return body.apply(root);
            } catch (Exception e) {
                throw Bodies.<RuntimeException>travelling(e);
            }
        };
    }

    static <R> Unchecked<R, Void> ofBody(AnyHeapBody<R> body) {
        Objects.requireNonNull(body, "body");
        return root -> {
            try {
                body.run(root);
                return null;
            } catch (Exception e) {
                throw Bodies.<RuntimeException>travelling(e);
            }
        };
    }

    @SuppressWarnings("unchecked") // whoever calls the heap declares it
    private static <E extends Exception> E travelling(Exception e) throws E {
        throw (E) e;
    }
}
