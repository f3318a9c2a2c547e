package io.farheap.objects;

import io.farheap.base.FarheapException;
import io.farheap.objects.schema.Persistent;
import io.farheap.objects.type.TypeMatching;
import java.util.List;

/** Looks at a program's types without a pool: for unit tests. */
public final class PersistentTypes {
    private PersistentTypes() {}

    /**
     * Checks interfaces marked {@link Persistent}, and all types that they lead to.
     *
     * @throws FarheapException WRONG_USE with all mistakes, each a sentence with method and reason
     */
    public static void check(Class<?>... types) {
        for (Class<?> type : types) {
            requirePersistent(type);
        }
        TypeMatching.match(List.of(types), null, List.of(), descriptor -> {});
    }

    static void requirePersistent(Class<?> type) {
        if (!type.isInterface() || !type.isAnnotationPresent(Persistent.class)) {
            throw FarheapException.wrongUse(
                    "%s is no interface marked @Persistent.", type.getName());
        }
    }
}
