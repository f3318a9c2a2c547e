package io.farheap.agent.config;

import io.farheap.agent.base.PoolsetDirectory;
import io.farheap.agent.base.Refusal;
import io.farheap.base.FarheapException;
import io.farheap.replication.control.Reply.Code;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;

/**
 * A line {@code ask = POOLSET STORE POOL} of the configuration: before a writer under automatic
 * fail-over is listened to, the store is asked in which term the pool is written. A store that
 * wants certificates or a user is reached by further words, {@code ca=FILE cert=FILE key=FILE} and
 * {@code user=NAME password=FILE}.
 *
 * @param poolset of the replica, as initiators name it
 * @param store its address
 * @param pool its name in the store, behind its cluster's and a slash, if that has another than the
 *     usual name
 * @param access how the store is reached
 */
public record AskedStore(String poolset, String store, String pool, Access access) {
    private static final int WORDS = 3;
    private static final Set<String> TLS = Set.of("ca", "cert", "key");
    private static final Set<String> LOGIN = Set.of("user", "password");

    /**
     * What a store wants to see; files are read when it is asked.
     *
     * @param authorities who may have signed the store's certificates, PEM; null: without TLS, as
     *     are the next two
     * @param certificate the agent's, PEM
     * @param key its key, PEM
     * @param user of the store; null: none, as is the next one
     * @param password a file that has that user's
     */
    public record Access(Path authorities, Path certificate, Path key, String user, Path password) {
        public static final Access NONE = new Access(null, null, null, null, null);
    }

    /**
     * Reads one line's value.
     *
     * @throws FarheapException category WRONG_USE saying what it should be
     */
    static AskedStore parse(String text) {
        String[] words = text.strip().split("\\s+", -1);
        if (words.length < WORDS) {
            throw wrong(text);
        }
        Map<String, String> more = new HashMap<>();
        for (String word : Arrays.asList(words).subList(WORDS, words.length)) {
            int equals = word.indexOf('=');
            String name = word.substring(0, Math.max(equals, 0));
            boolean isKnown = TLS.contains(name) || LOGIN.contains(name);
            if (!isKnown || more.put(name, word.substring(equals + 1)) != null) {
                throw wrong(text);
            }
        }
        requireTogether(more, TLS, text);
        requireTogether(more, LOGIN, text);
        Access access =
                new Access(
                        file(more, "ca"),
                        file(more, "cert"),
                        file(more, "key"),
                        more.get("user"),
                        file(more, "password"));
        return new AskedStore(words[0], words[1], words[2], access);
    }

    private static void requireTogether(Map<String, String> more, Set<String> names, String text) {
        if (names.stream().anyMatch(more::containsKey) && !more.keySet().containsAll(names)) {
            throw wrong(text);
        }
    }

    private static Path file(Map<String, String> more, String name) {
        String file = more.get(name);
        try {
            if (file == null || file.startsWith("/")) {
                return file == null ? null : Path.of(file);
            }
        } catch (InvalidPathException e) {
            throw FarheapException.wrongUse(
                    e, "The setting ask names behind %s= what can be no file here.", name);
        }
        throw FarheapException.wrongUse(
                "The setting ask must name a file from the root on behind %s=.", name);
    }

    private static FarheapException wrong(String text) {
        return FarheapException.wrongUse(
                "The setting ask must be a poolset name, a store and the pool's name there, such as"
                        + " copy.set etcd:http://e1:2379,http://e2:2379 bank, and where the store"
                        + " wants them ca=FILE cert=FILE key=FILE, user=NAME password=FILE; not"
                        + " \"%s\".",
                text.replaceAll("password=\\S+", "password=..."));
    }

    /**
     * The term that the store tells of a replica's pool; 0 where nobody is to be asked, or there is
     * no record. By whatever name an initiator has called its poolset file.
     *
     * @param directory where the names of the configuration are looked up
     * @throws Refusal BUSY when the store does not answer: who is asked again may have heard it
     */
    public static long termOf(
            List<AskedStore> asked, PoolsetDirectory directory, Path poolsetFile) {
        for (AskedStore one : asked) {
            if (one.isOf(directory, poolsetFile)) {
                return one.term();
            }
        }
        return 0;
    }

    private boolean isOf(PoolsetDirectory directory, Path poolsetFile) {
        try {
            return directory.resolve(poolset).equals(poolsetFile);
        } catch (Refusal none) { // there is another one's, or none yet
            return false;
        }
    }

    private long term() {
        try {
            return service().termOf(this);
        } catch (FarheapException e) {
            throw new Refusal(
                    Code.BUSY,
                    "The store that says in which term the pool of "
                            + poolset
                            + " is written did not tell: "
                            + e.getMessage(),
                    "No writer is listened to here until it does.",
                    e);
        }
    }

    private static RecordedTerms service() {
        Iterator<RecordedTerms> found = ServiceLoader.load(RecordedTerms.class).iterator();
        if (!found.hasNext()) {
            throw FarheapException.wrongUse(
                    "this agent has no client of a store: start it as farheap agent, or take ask"
                            + " out of its configuration");
        }
        return found.next();
    }
}
