package io.farheap.availability;

import io.farheap.availability.coordinator.StoreEngine;
import io.farheap.availability.etcd.EtcdEngine;
import io.farheap.base.FarheapException;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/** The kinds of stores that are there: etcd, and what the class path has besides. */
final class StoreEngines {
    static final StoreEngine ETCD = new EtcdEngine();

    /** Kinds that are artifacts of their own. */
    private static final Map<String, String> ARTIFACTS = Map.of("zookeeper", "farheap-zookeeper");

    /** More than that are no engines, but something that names one without an end. */
    private static final int MOST_UNUSABLE = 100;

    private StoreEngines() {}

    static Optional<String> artifact(String kind) {
        return Optional.ofNullable(ARTIFACTS.get(kind));
    }

    /**
     * Of the thread's class loader, or else of Farheap's own: a thread of a container may have one
     * that sees neither.
     *
     * @throws FarheapException ENVIRONMENT: there is none, but one that can't be used
     */
    static Optional<StoreEngine> of(String kind) {
        if (kind.equals(ETCD.kind())) {
            return Optional.of(ETCD);
        }
        Search search = new Search(kind);
        Optional<StoreEngine> found =
                search.in(ServiceLoader.load(StoreEngine.class))
                        .or(
                                () ->
                                        search.in(
                                                ServiceLoader.load(
                                                        StoreEngine.class,
                                                        StoreEngine.class.getClassLoader())));
        if (found.isEmpty() && search.unusable != null) {
            throw unusable(kind, search.unusable);
        }
        return found;
    }

    /** A jar of another version, or one that lacks what it depends on. */
    static FarheapException unusable(String kind, Error why) {
        return FarheapException.environment(
                why,
                "What speaks to a store of kind \"%s\" can't be used (%s): the jar of %s must be of"
                        + " the same version as Farheap's others, and what it depends on beside it.",
                kind,
                why,
                artifact(kind).map(name -> "io.farheap:" + name).orElse("a store"));
    }

    /** One that can't be used keeps nobody from the others. */
    private static final class Search {
        private final String kind;
        private Error unusable;

        private Search(String kind) {
            this.kind = kind;
        }

        private Optional<StoreEngine> in(ServiceLoader<StoreEngine> loader) {
            Iterator<StoreEngine> engines = loader.iterator();
            for (int failures = 0; failures < MOST_UNUSABLE; ) {
                try {
                    if (!engines.hasNext()) {
                        return Optional.empty();
                    }
                    StoreEngine engine = engines.next();
                    if (engine.kind().equals(kind)) {
                        return Optional.of(engine);
                    }
                } catch (ServiceConfigurationError | LinkageError e) {
                    unusable = e;
                    failures++;
                }
            }
            return Optional.empty();
        }
    }
}
