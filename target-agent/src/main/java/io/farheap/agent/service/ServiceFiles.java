package io.farheap.agent.service;

import io.farheap.agent.config.AgentConfiguration;
import io.farheap.agent.config.AgentOptions;
import io.farheap.agent.config.ListenSettings;
import io.farheap.agent.log.AgentLog;
import io.farheap.base.FarheapException;
import io.farheap.replication.tls.PemFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.SSLContext;

/**
 * The configuration and the certificates of an agent that listens, read anew when a file has
 * changed: who comes from then on finds them so. What can't be used leaves things as they were. For
 * one thread, but for {@link #expiry}.
 */
public final class ServiceFiles {
    private final AgentOptions options;
    private final Path home;
    private final Path etc;
    private AgentConfiguration configuration;

    /** What the configuration named last, whether it could be used or not. */
    private ListenSettings named;

    private SSLContext context;
    private volatile Instant expiry;
    private List<String> seen;

    /**
     * Reads them.
     *
     * @throws FarheapException when they can't be used
     */
    public ServiceFiles(AgentOptions options, Path home, Path etc) {
        this.options = options;
        this.home = home;
        this.etc = etc;
        this.configuration = AgentConfiguration.load(options, home, etc);
        this.named = configuration.listening();
        this.seen = stamps();
        this.context = context(named);
        this.expiry = named.files().expiry();
    }

    private static SSLContext context(ListenSettings named) {
        PemFiles files = named.files();
        files.requirePair();
        return files.context();
    }

    /** The last one that could be used. */
    public AgentConfiguration configuration() {
        return configuration;
    }

    SSLContext context() {
        return context;
    }

    /** When the certificate that is shown expires. On any thread. */
    Instant expiry() {
        return expiry;
    }

    /**
     * Looks whether a file has changed.
     *
     * @param log told what came of it
     */
    void refresh(AgentLog log) {
        if (!stamps().equals(seen)) {
            readAnew(log);
        }
    }

    /**
     * Reads them, whether they have changed or not.
     *
     * @param log told what came of it
     */
    void readAnew(AgentLog log) {
        seen = stamps(); // what can't be used is told once
        try {
            AgentConfiguration changed = AgentConfiguration.load(options, home, etc);
            if (!changed.listening().equals(named)) {
                named = changed.listening();
                seen = stamps(); // of the files that it names from now on
            }
            context = context(named);
            expiry = named.files().expiry();
            configuration = changed;
            log.notice("The configuration and the certificates were read anew.");
        } catch (RuntimeException e) { // nothing in a file ends the sessions under way
            boolean isTold = e instanceof FarheapException;
            log.error(
                    "What changed is not used, and what was before still is: "
                            + (isTold ? e.getMessage() : e),
                    isTold ? null : e);
        }
    }

    private List<String> stamps() {
        List<Path> files = new ArrayList<>(AgentConfiguration.files(options, home, etc));
        files.add(named.certificate());
        files.add(named.key());
        files.add(named.authorities());
        return files.stream().filter(Objects::nonNull).map(ServiceFiles::stamp).toList();
    }

    private static String stamp(Path file) {
        try {
            BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
            return found.lastModifiedTime() + " " + found.size() + " " + found.fileKey();
        } catch (IOException e) {
            return "none"; // whether it is needed, whoever reads it says
        }
    }
}
