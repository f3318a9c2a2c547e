package io.farheap.simulation.engine;

/** What can break in a history, and what the product can be brought to do: counted over a run. */
public enum Happening {
    CUT("all connections to a target are cut"),
    CUT_ONE("one connection is cut"),
    HALF_OPEN("the network falls silent, and nobody is told"),
    SLOW("the network is slow", Kind.EITHER),
    OVERTAKEN("a WRITE is there before all of an earlier one", Kind.EITHER),
    GARBLED_RECORD("bytes of a record change on their way, past the network card"),
    GARBLED_MESSAGE("bytes of a message change on their way, and the fabric notices"),
    UNREACHABLE("an agent cannot be started: the target is down", Kind.EITHER),
    AGENT_KILLED("agents are killed", Kind.EITHER),
    AGENT_STOPPED("agents are stopped and go on", Kind.EITHER),
    AGENT_STEP("agents are killed at one of their flushes or fences"),
    TARGET_POWER("a target loses power", Kind.EITHER),
    TARGET_STEP("a target loses power at a flush or fence"),
    PROGRAM_KILLED("the program is killed", Kind.EITHER),
    PROGRAM_STOPPED("the program is stopped and goes on", Kind.EITHER),
    PROGRAM_STEP("the program is killed at one of its flushes or fences"),
    PROGRAM_POWER("the program's machine loses power"),
    PROGRAM_POWER_STEP("the program's machine loses power at a flush or fence"),
    BOTH("program and target die at once", Kind.EITHER),
    CLOCKS("clocks are set", Kind.EITHER),
    STORE_CUT("a node does not reach the store", Kind.CLUSTER),
    STORE_UNANSWERED("a request to the store is lost, or its answer is", Kind.CLUSTER),
    STORE_LATE("a request reaches the store when nobody waits for it any more", Kind.CLUSTER),
    STORE_SLOW("the store is slow for a node", Kind.CLUSTER),
    STORE_SILENT("the store is silent, as when its leader is lost", Kind.CLUSTER),
    LEASE_ENDED("what a process has announced ends though it is alive", Kind.CLUSTER),
    STORE_RESTORED("the store is restored from a backup", Kind.CLUSTER),
    NODES_APART("two nodes do not reach each other", Kind.CLUSTER),
    NODES_APART_ONE_WAY("one node does not reach another one, which reaches it", Kind.CLUSTER),
    NODE_ALONE("a node reaches no other node", Kind.CLUSTER),
    NODE_OFF("a node reaches neither the others nor the store", Kind.CLUSTER),
    NODE_STOPPED("all processes of a node stop and go on", Kind.CLUSTER),
    NODE_LOST("a node is lost for good", Kind.CLUSTER),
    OLD_FILES("a node has its files of another time", Kind.CLUSTER),
    SWITCH_OVER("a person orders a switch-over", Kind.CLUSTER),
    TOOK_OVER("a node writes", Kind.CLUSTER),
    EXAMINED("a copy is looked at as if its node took over", Kind.CLUSTER),
    DEPOSED("a commit of a writer is refused whose term is over", Kind.CLUSTER),
    DISK_LOST("a target has lost its files"),
    DISK_FULL("a target has no space for the replica"),
    READ_ONLY("a target's files are read-only"),
    MEDIUM_ERROR("a flush of the target fails"),
    SLOW_DISK("a target's image takes long to be flushed: apply stands still"),
    MAP_NOT_MADE("what a replica lacks can't be noted: no dirty map can be made"),
    MAP_NOT_FLUSHED("a dirty map can't be flushed"),
    MAP_NOT_READ("a dirty map can't be read"),
    MAP_NOT_REMOVED("a dirty map can't be removed"),
    WRONG_REPLICA("an agent finds another pool's files"),
    NATIVE_OPEN("a program that knows no replicas changes the pool in between"),
    TAKE_OVER("another initiator takes the replicas over"),
    FENCED("a commit of the old initiator is refused after that"),
    PROMOTED("a replica is promoted, and its new owner goes on with it"),
    RETURNED("the old initiator returns after that, and is refused"),

    BY_READS("READs prove commits durable, and the agent looks for records"),
    JOURNAL_FULL("a commit waits for room in a journal", Kind.EITHER),
    NOT_COMPARABLE("a replica is refused: the histories cannot be compared"),
    RESENT("a lost connection is made again in the same epoch", Kind.EITHER),
    REATTACHED("replicas are attached again in the same run", Kind.EITHER),
    LEFT_OUT("the pool goes on without a replica", Kind.EITHER),
    COPIED_BY_MAP("a replica gets what changed while it was away", Kind.EITHER),
    COPIED_WHOLE("a replica gets all, or is compared as a whole", Kind.EITHER),
    LAGGED("a replica that commits don't wait for lacks some that returned"),
    HELD_BACK("a commit waits because such a replica lags as far as it may"),
    LAGS_TOO_FAR("such a replica does not catch up, and is left out"),
    MAP_GIVEN_UP("what a replica lacks is not noted, and all of it is compared later"),
    RENEWED("an epoch ends as a commit can't be noted, and is claimed in the next one"),
    MAP_CLEARED("what was noted for such replicas is cleared, as they have it"),
    CAUGHT_UP("such a replica has everything when the pool is closed"),
    JOINED("a replica that was left out becomes a member again", Kind.EITHER),
    RECONCILED("a replica's tail is reconciled at open", Kind.EITHER),
    DISK_RECOVERED("a disk journal is replayed to the pool's files"),
    CHECKPOINT("what a disk journal has is brought to the pool's files"),
    COMPARED("the replicas are compared with the pool while it is committed to");

    /** In which histories it is. */
    private enum Kind {
        POOL,
        CLUSTER,
        EITHER
    }

    private final String text;
    private final Kind kind;

    Happening(String text) {
        this(text, Kind.POOL);
    }

    Happening(String text, Kind kind) {
        this.text = text;
        this.kind = kind;
    }

    /** Whether it is in histories of a pool and its replicas. */
    public boolean isOfPools() {
        return kind != Kind.CLUSTER;
    }

    /** Whether it is in histories of nodes under automatic fail-over. */
    public boolean isOfClusters() {
        return kind != Kind.POOL;
    }

    /** As a row of a table. */
    public String text() {
        return text;
    }
}
