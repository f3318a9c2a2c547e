package io.farheap.replication.fabric.verbs;

import io.farheap.base.FarheapException;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.WaitStrategy;
import java.lang.reflect.InvocationTargetException;

/**
 * The door to RDMA: makes fabrics over the verbs of this machine's network cards, through DiSNI.
 *
 * <p>DiSNI loads its native half by name, so its classes, and those of ours that call them, come
 * from a class loader of their own that knows where that half is.
 */
public final class VerbsFabrics {
    private static final String IMPLEMENTATION = DisniLoader.OWN_PACKAGE + "DisniFabric";

    private VerbsFabrics() {}

    /**
     * A fabric over verbs. It may be made where there is no RDMA device: its ends say so then.
     *
     * @param wait how ends made by it wait
     * @throws FarheapException category ENVIRONMENT when DiSNI or its native half is missing, or
     *     does not fit; says what to do
     */
    public static Fabric open(WaitStrategy wait) {
        return open(wait, Loader.INSTANCE);
    }

    static Fabric open(WaitStrategy wait, DisniLoader loader) {
        FarheapException before = loader.failure();
        if (before != null) { // a class that failed once does not say why again
            throw new FarheapException(before.category(), before.getMessage(), before);
        }
        // What the loader defines is in no named module, and uses this package of ours.
        VerbsFabrics.class
                .getModule()
                .addExports(Fabric.class.getPackageName(), loader.getUnnamedModule());
        try {
            Class<?> implementation = Class.forName(IMPLEMENTATION, true, loader);
            return (Fabric)
                    implementation.getDeclaredConstructor(WaitStrategy.class).newInstance(wait);
        } catch (InvocationTargetException e) {
            throw unusable(loader, e.getCause());
        } catch (ReflectiveOperationException | LinkageError e) {
            throw unusable(loader, e);
        } finally {
            loader.removeUnpacked();
        }
    }

    private static FarheapException unusable(DisniLoader loader, Throwable cause) {
        Throwable root = cause;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        FarheapException failure =
                FarheapException.environment(
                        cause, "RDMA can't be used in this process: %s", DisniLoader.remedy(root));
        loader.failed(failure);
        return failure;
    }

    /** One for the process: a native library can be loaded by one class loader only. */
    private static final class Loader {
        private static final DisniLoader INSTANCE =
                new DisniLoader(VerbsFabrics.class.getClassLoader());
    }
}
