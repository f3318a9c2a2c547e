package io.farheap.base;

/**
 * A commit was rolled back locally because its durability on a replica could not be established in
 * time: whether that replica has it is unknown. Should the replica be promoted, it may contain it.
 */
public class CommitUnknownException extends FarheapException {
    private static final long serialVersionUID = 1L;

    private final String replica;

    /** Of the replica, as written in the poolset file, that did not answer. */
    public CommitUnknownException(String replica, String message, Throwable cause) {
        super(Category.REPLICA, message, cause);
        this.replica = replica;
    }

    /** The replica, as written in the poolset file: {@code [user@]host[:port] name.set}. */
    public String replica() {
        return replica;
    }
}
