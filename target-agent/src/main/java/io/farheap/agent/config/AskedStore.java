package io.farheap.agent.config;

import io.farheap.agent.base.PoolsetDirectory;
import io.farheap.agent.base.Refusal;
import io.farheap.base.FarheapException;
import io.farheap.replication.control.Reply.Code;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceLoader;

/**
 * A line {@code ask = POOLSET STORE POOL} of the configuration: before a writer under automatic
 * fail-over is listened to, the store is asked in which term the pool is written.
 *
 * @param poolset of the replica, as initiators name it
 * @param store its address
 * @param pool its name in the store
 */
public record AskedStore(String poolset, String store, String pool) {
    private static final int WORDS = 3;

    /**
     * Reads one line's value.
     *
     * @throws FarheapException category WRONG_USE saying what it should be
     */
    static AskedStore parse(String text) {
        String[] words = text.strip().split("\\s+", -1);
        if (words.length != WORDS) {
            throw FarheapException.wrongUse(
                    "The setting ask must be a poolset name, a store and the pool's name there, such"
                            + " as copy.set etcd:http://e1:2379,http://e2:2379 bank; not \"%s\".",
                    text);
        }
        return new AskedStore(words[0], words[1], words[2]);
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
            return service().termOf(store, pool);
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
