package io.farheap.zookeeper;

import io.farheap.availability.coordinator.StoreSettings;
import io.farheap.base.FarheapException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.PathUtils;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.auth.DigestAuthenticationProvider;

/**
 * How ZooKeeper is reached.
 *
 * @param servers {@code host:port}
 * @param base the node that all nodes of Farheap lie below; empty: the root
 * @param ttl what is announced outlives its process by at most this
 */
record ZooKeeperSettings(
        List<String> servers,
        String base,
        Duration ttl,
        Optional<StoreSettings.Tls> tls,
        Optional<StoreSettings.Login> login) {
    /** How users are told apart. */
    static final String DIGEST = "digest";

    static final String EXAMPLE = "zookeeper:z1:2181,z2:2181,z3:2181/farheap";
    private static final int MOST_SERVERS = 9;
    private static final int USUAL_PORT = 2181;
    private static final int MOST_PORT = 65_535;
    private static final Duration LEAST_TTL = Duration.ofSeconds(5);
    private static final Pattern SERVER =
            Pattern.compile("(?:\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9._-]+)(?::([0-9]{1,5}))?");

    static ZooKeeperSettings of(StoreSettings settings) {
        String text = settings.endpoints().strip();
        int slash = text.indexOf('/');
        String base = slash < 0 ? "" : text.substring(slash).replaceFirst("/+$", "");
        if (!base.isEmpty()) {
            PathUtils.validatePath(base);
            requireNoServer(base);
        }
        List<String> servers =
                Stream.of((slash < 0 ? text : text.substring(0, slash)).split(",", -1))
                        .map(String::strip)
                        .map(ZooKeeperSettings::server)
                        .toList();
        if (servers.size() > MOST_SERVERS) {
            throw FarheapException.wrongUse(
                    "ZooKeeper needs between 1 and %d servers, and %d are given.",
                    MOST_SERVERS, servers.size());
        }
        requireTtl(settings.ttl());
        settings.tls().ifPresent(ZooKeeperSettings::requireOneFile);
        settings.login().ifPresent(ZooKeeperSettings::requireUser);
        return new ZooKeeperSettings(
                servers, base, settings.ttl(), settings.tls(), settings.login());
    }

    /** As with etcd, where each endpoint may have a path of its own. */
    private static void requireNoServer(String base) {
        if (base.contains(",") || base.contains(":")) {
            throw new IllegalArgumentException(
                    "\"" + base + "\" is no base: it comes once, behind all servers");
        }
    }

    private static String server(String text) {
        var matcher = SERVER.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("\"" + text + "\" is no server");
        }
        String port = matcher.group(1);
        if (port != null && (Integer.parseInt(port) == 0 || Integer.parseInt(port) > MOST_PORT)) {
            throw new IllegalArgumentException("\"" + text + "\" has no port");
        }
        return port == null ? text + ":" + USUAL_PORT : text;
    }

    /** A leader that is lost costs ZooKeeper some seconds: sessions must outlive that. */
    static void requireTtl(Duration ttl) {
        if (ttl.compareTo(LEAST_TTL) < 0 || ttl.toNanosPart() != 0) {
            throw FarheapException.wrongUse(
                    "A ttl of %d ms is no whole number of seconds of at least %d: ZooKeeper may take"
                            + " some seconds to choose a new leader, and sessions would end"
                            + " meanwhile.",
                    ttl.toMillis(), LEAST_TTL.toSeconds());
        }
    }

    private static void requireOneFile(StoreSettings.Tls tls) {
        if (!tls.certificate().equals(tls.key())) {
            throw FarheapException.wrongUse(
                    "ZooKeeper's client reads certificate and key from one file, and %s and %s are"
                            + " two: put both into one PEM file that only its owner may read, and"
                            + " name it twice.",
                    tls.certificate(), tls.key());
        }
        requirePem(tls.authorities(), "BEGIN CERTIFICATE");
        requirePem(tls.certificate(), "BEGIN CERTIFICATE");
        requirePem(tls.key(), "BEGIN PRIVATE KEY");
    }

    /** The client would say so in its log alone. */
    private static void requirePem(Path file, String kind) {
        try {
            if (!Files.readString(file, StandardCharsets.ISO_8859_1).contains("-" + kind + "-")) {
                throw FarheapException.environment(
                        "%s has no \"%s\": it must be PEM, and a key PKCS #8 without a password"
                                + " (openssl pkcs8 -topk8 -nocrypt).",
                        file, kind);
            }
        } catch (IOException e) {
            throw FarheapException.environment(e, "%s can't be read: %s.", file, e);
        }
    }

    private static void requireUser(StoreSettings.Login login) {
        if (login.user().isEmpty() || login.user().contains(":")) {
            throw FarheapException.wrongUse(
                    "\"%s\" can't be a user of ZooKeeper: a name is not empty and has no colon.",
                    login.user());
        }
    }

    String connectString() {
        return String.join(",", servers);
    }

    /** For one server to answer. */
    Duration tryBound() {
        return ttl.dividedBy(6);
    }

    /** For a whole request. */
    Duration bound() {
        return ttl.dividedBy(2);
    }

    /**
     * Who may do what with the nodes that are made. ZooKeeper takes "their creator" for all that a
     * connection has shown, and a client certificate is one of it: so the user is named. In a list
     * that may be asked whether null is in it, which ZooKeeper's client does.
     */
    List<ACL> access() {
        return login.map(one -> Collections.singletonList(new ACL(ZooDefs.Perms.ALL, id(one))))
                .orElse(ZooDefs.Ids.OPEN_ACL_UNSAFE);
    }

    private static Id id(StoreSettings.Login login) {
        try {
            return new Id(
                    DIGEST,
                    DigestAuthenticationProvider.generateDigest(
                            login.user() + ":" + login.password()));
        } catch (NoSuchAlgorithmException e) {
            throw FarheapException.environment(
                    e,
                    "This Java has not the algorithm that ZooKeeper's users are told by: %s.",
                    e);
        }
    }

    Optional<byte[]> digest() {
        return login.map(
                one -> (one.user() + ":" + one.password()).getBytes(StandardCharsets.UTF_8));
    }

    /** What is not said here is as the client's system properties have it. */
    ZKClientConfig config() {
        ZKClientConfig config = new ZKClientConfig();
        config.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, "false");
        config.setProperty( // of closing a session: every other request has its bound here
                ZKClientConfig.ZOOKEEPER_REQUEST_TIMEOUT, Long.toString(tryBound().toMillis()));
        tls.ifPresent(
                files -> {
                    config.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
                    config.setProperty(
                            ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET,
                            "org.apache.zookeeper.ClientCnxnSocketNetty");
                    pem(config, "keyStore", files.key().toString());
                    pem(config, "trustStore", files.authorities().toString());
                });
        return config;
    }

    private static void pem(ZKClientConfig config, String store, String file) {
        config.setProperty("zookeeper.ssl." + store + ".location", file);
        config.setProperty("zookeeper.ssl." + store + ".type", "PEM");
    }
}
