package io.farheap.availability;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.StoreEngine;
import io.farheap.availability.coordinator.StoreSettings;
import io.farheap.base.FarheapException;
import java.time.Duration;
import java.util.Optional;

/** Which store, and how it is reached. */
record StoreAddress(StoreEngine engine, StoreSettings settings) {
    private static final StoreEngine ETCD = StoreEngines.ETCD;
    private static final Duration USUAL_TTL = Duration.ofSeconds(10);

    /**
     * @param text the kind of the store, a colon, and its endpoints: {@code
     *     etcd:https://e1:2379,https://e2:2379}
     */
    static StoreAddress of(String text) {
        int colon = text.indexOf(':');
        String kind = text.substring(0, Math.max(colon, 0));
        StoreEngine engine =
                StoreEngines.of(kind).orElseThrow(() -> unknown(text, kind, ETCD.example(), null));
        StoreSettings settings =
                new StoreSettings(
                        text.substring(colon + 1), USUAL_TTL, Optional.empty(), Optional.empty());
        try {
            engine.check(settings); // what is wrong with it is said now
        } catch (IllegalArgumentException e) {
            throw unknown(text, kind, engine.example(), e);
        } catch (LinkageError e) {
            throw StoreEngines.unusable(kind, e);
        }
        return new StoreAddress(engine, settings);
    }

    private static FarheapException unknown(
            String text, String kind, String example, IllegalArgumentException cause) {
        Optional<String> artifact = cause == null ? StoreEngines.artifact(kind) : Optional.empty();
        return artifact.isEmpty()
                ? FarheapException.wrongUse(
                        cause, "\"%s\" names no store: write it as %s.", text, example)
                : FarheapException.wrongUse(
                        "\"%s\" can't be reached: what speaks to such a store is the artifact"
                                + " io.farheap:%s, which is not on the class path; add it, with"
                                + " what it depends on.",
                        text, artifact.get());
    }

    StoreAddress withTtl(Duration ttl) {
        return with(new StoreSettings(endpoints(), ttl, settings.tls(), settings.login()));
    }

    StoreAddress withTls(StoreSettings.Tls tls) {
        return with(new StoreSettings(endpoints(), ttl(), Optional.of(tls), settings.login()));
    }

    StoreAddress withLogin(StoreSettings.Login login) {
        return with(new StoreSettings(endpoints(), ttl(), settings.tls(), Optional.of(login)));
    }

    private StoreAddress with(StoreSettings changed) {
        engine.check(changed);
        return new StoreAddress(engine, changed);
    }

    private String endpoints() {
        return settings.endpoints();
    }

    Duration ttl() {
        return settings.ttl();
    }

    Coordinator connect() {
        return engine.connect(settings);
    }
}
