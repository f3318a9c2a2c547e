package io.farheap.remote;

import io.farheap.base.FarheapException;
import io.farheap.replication.config.ReplicationSettings;
import java.util.HashMap;
import java.util.Map;

/**
 * How a remote pool is reached and used: how many lanes the program wants and may have, whether it
 * ends the right of whoever holds the pool, and the remote shell, agent's command and bounds of
 * waits (docs/settings.md). Immutable.
 */
public final class RemotePoolOptions {
    /** Lanes that can be granted. */
    public static final int MAX_LANES = 1024;

    private final Map<String, String> environment;
    private final Map<String, String> said;
    private final ReplicationSettings settings;
    private final int lanes;
    private final int maxLanes;
    private final boolean takeOver;

    private RemotePoolOptions(
            Map<String, String> environment,
            Map<String, String> said,
            int lanes,
            int maxLanes,
            boolean takeOver) {
        if (lanes <= 0 || maxLanes <= 0) {
            throw FarheapException.wrongUse(
                    "number of lanes must be positive: %s", Math.min(lanes, maxLanes));
        }
        this.environment = environment;
        this.said = Map.copyOf(said);
        this.settings = ReplicationSettings.from(environment, said);
        this.lanes = lanes;
        this.maxLanes = maxLanes;
        this.takeOver = takeOver;
    }

    /**
     * One lane, and what the environment asks for: RPMEM_MAX_NLANES, and the variables of
     * docs/settings.md.
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
        return new RemotePoolOptions(environment, Map.of(), 1, maxLanes, false);
    }

    /**
     * The same with another wish for lanes.
     *
     * @param wanted how many operations the program wants to have under way at once, at least 1
     * @throws FarheapException category WRONG_USE when it is not positive
     */
    public RemotePoolOptions withLanes(int wanted) {
        return new RemotePoolOptions(environment, said, wanted, maxLanes, takeOver);
    }

    /**
     * The same with another bound of lanes; the smaller number of the two is granted.
     *
     * @throws FarheapException category WRONG_USE when it is not positive
     */
    public RemotePoolOptions withMaxLanes(int most) {
        return new RemotePoolOptions(environment, said, lanes, most, takeOver);
    }

    /**
     * The same with or without ending the right of whoever holds the pool: a program that hangs.
     * Without it one that has ended is waited for, as long as its agent may take to notice.
     */
    public RemotePoolOptions withTakeOver(boolean wanted) {
        return new RemotePoolOptions(environment, said, lanes, maxLanes, wanted);
    }

    /**
     * The same with a setting that the program says itself, over that of the environment.
     *
     * @param variable its name, as {@code FARHEAP_COMMIT_TIMEOUT} or {@code RPMEM_SSH}
     * @throws FarheapException category WRONG_USE when it is no setting, or the value can't be
     *     understood
     */
    public RemotePoolOptions withSetting(String variable, String value) {
        Map<String, String> more = new HashMap<>(said);
        more.put(variable, value);
        return new RemotePoolOptions(environment, more, lanes, maxLanes, takeOver);
    }

    /** Wanted lanes. */
    public int lanes() {
        return lanes;
    }

    /** Lanes that it may have at most. */
    public int maxLanes() {
        return maxLanes;
    }

    /** Whether it ends the right of whoever holds the pool. */
    public boolean takeOver() {
        return takeOver;
    }

    ReplicationSettings settings() {
        return settings;
    }

    int granted() {
        return Math.min(lanes, Math.min(maxLanes, MAX_LANES));
    }
}
