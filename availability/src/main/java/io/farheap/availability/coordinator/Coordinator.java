package io.farheap.availability.coordinator;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A store with compare-and-set that several machines see. Whatever must be right rests on {@link
 * #read} and a compare-and-set of one key; a presence is a sign of life and a watch is a hint, and
 * either may be late or wrong.
 *
 * <p>Every call has a bound and may be made by any thread. A call that the store refuses (no
 * permission, a wrong password, no space) throws a {@link StoreRefusedException} that says by whom
 * and why, a wrong one (an empty key) another {@link io.farheap.base.FarheapException}; a refused
 * request is never carried out later.
 */
public interface Coordinator extends AutoCloseable {
    /**
     * The newest value: whatever was applied before this call is seen.
     *
     * @throws StoreUnavailableException the store does not answer; try again later
     */
    Versioned read(String key);

    /**
     * All keys that begin so, with their values, many with one request: as they were at one moment
     * no earlier than this call, where the engine can tell (etcd), else each at some moment, which
     * may be seconds earlier where the store is about to get another leader. For people. In no
     * certain order.
     *
     * @throws StoreUnavailableException the store does not answer; try again later
     */
    List<Listed> list(String prefix);

    /**
     * What the store says is wrong with it though it answers, such as that it has no space left, a
     * sentence each. For people. Empty also where it does not tell, or not this client.
     */
    default List<String> troubles() {
        return List.of();
    }

    /**
     * Sets a value if the key's version is still this one.
     *
     * @param version as {@link #read} has told; 0: the key must not exist
     * @return unknown if the store did not answer: the request may have been carried out, may be
     *     carried out at any later time, or never
     */
    Swap compareAndSet(String key, long version, byte[] value);

    /**
     * The same, if at that moment another key's version is still what was read, too: a pause rests
     * on it, and no commit. An engine that compares one key only, or was built before there was
     * this, looks at the other one before: what changes there between the two, or before a request
     * without an answer arrives, is not seen.
     *
     * @param beside the other key, of a value
     * @param besideVersion as {@link #read} has told; 0: it must not exist
     * @return lost also where only the other key has another version
     */
    default Swap compareAndSet(
            String key, long version, byte[] value, String beside, long besideVersion) {
        Versioned other;
        try {
            other = read(beside);
        } catch (StoreUnavailableException e) {
            return Swap.unknown();
        }
        return other.version() == besideVersion ? compareAndSet(key, version, value) : Swap.lost();
    }

    /**
     * Makes a key that stays for as long as this process keeps it alive.
     *
     * @param ttl how long it may outlive the process; at least 5 seconds, whole ones
     * @return empty if the key exists: somebody else is present
     * @throws StoreUnavailableException the store does not answer; the key may exist until ttl is
     *     over
     */
    Optional<Presence> announce(String key, byte[] value, Duration ttl);

    /**
     * Who has announced itself under this key, as long as it is alive.
     *
     * @throws StoreUnavailableException the store does not answer; try again later
     */
    Optional<byte[]> present(String key);

    /**
     * Takes away at once what a process has announced that is known to have ended, if the key still
     * has that value.
     *
     * @throws StoreUnavailableException the store does not answer; it may be gone or not, and goes
     *     when its ttl is over
     */
    void remove(String key, byte[] value);

    /**
     * Calls when something below a prefix may have changed, once at the beginning, and at least
     * every third of the store's ttl: whoever is called reads anew. Calls come one at a time, in a
     * thread of the watch; what they throw is logged.
     *
     * @return ends it; no call begins after that
     */
    Watch watch(String prefix, Runnable changed);

    /** Ends what was announced and what is watched. */
    @Override
    void close();
}
