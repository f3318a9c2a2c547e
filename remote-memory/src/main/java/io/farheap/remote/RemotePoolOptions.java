package io.farheap.remote;

import io.farheap.base.FarheapException;
import io.farheap.replication.config.ReplicationSettings;
import java.util.Map;

/**
 * How a remote pool is reached and used.
 *
 * @param lanes how many operations the program wants to have under way at once, at least 1
 * @param maxLanes how many it may have at most; the smaller number of the two is granted
 * @param takeOver end the right of whoever holds the pool: a program that hangs. Without it one
 *     that has ended is waited for, as long as its agent may take to notice
 * @param settings remote shell, agent's command, bounds of all waits
 */
@SuppressWarnings("exports") // on the module path the environment alone makes settings
public record RemotePoolOptions(
        int lanes, int maxLanes, boolean takeOver, ReplicationSettings settings) {
    /** Lanes that can be granted. */
    public static final int MAX_LANES = 1024;

    public RemotePoolOptions {
        if (lanes <= 0 || maxLanes <= 0) {
            throw FarheapException.wrongUse(
                    "number of lanes must be positive: %s", Math.min(lanes, maxLanes));
        }
    }

    /**
     * One lane, and what the environment asks for: RPMEM_MAX_NLANES, and the variables of {@link
     * ReplicationSettings}.
     *
     * @throws FarheapException category WRONG_USE naming the variable that can't be understood
     */
    public static RemotePoolOptions fromEnvironment() {
        return from(System.getenv());
    }

    static RemotePoolOptions from(Map<String, String> environment) {
        String most = environment.getOrDefault("RPMEM_MAX_NLANES", "").strip();
        if (!most.matches("|0*[1-9][0-9]{0,8}")) {
            throw FarheapException.wrongUse(
                    "the setting RPMEM_MAX_NLANES is \"%s\"; set it to a positive number", most);
        }
        int maxLanes = most.isEmpty() ? MAX_LANES : Math.min(Integer.parseInt(most), MAX_LANES);
        return new RemotePoolOptions(1, maxLanes, false, ReplicationSettings.from(environment));
    }

    /** The same with another wish for lanes. */
    public RemotePoolOptions withLanes(int wanted) {
        return new RemotePoolOptions(wanted, maxLanes, takeOver, settings);
    }

    /** The same with or without taking over. */
    public RemotePoolOptions withTakeOver(boolean wanted) {
        return new RemotePoolOptions(lanes, maxLanes, wanted, settings);
    }

    /** The same with other settings. */
    public RemotePoolOptions withSettings(ReplicationSettings others) {
        return new RemotePoolOptions(lanes, maxLanes, takeOver, others);
    }

    int granted() {
        return Math.min(lanes, Math.min(maxLanes, MAX_LANES));
    }
}
