package io.farheap.availability.etcd;

/** Why one endpoint gave no answer that counts. */
final class EtcdFailure extends Exception {
    private static final long serialVersionUID = 1L;

    // etcd's codes are those of gRPC.
    private static final int INVALID_ARGUMENT = 3;
    private static final int NOT_FOUND = 5;
    private static final int PERMISSION_DENIED = 7;
    private static final int RESOURCE_EXHAUSTED = 8;
    private static final int FAILED_PRECONDITION = 9;
    private static final int OUT_OF_RANGE = 11;
    private static final int UNAUTHENTICATED = 16;

    private static final int NO_CODE = -1;
    private static final int TOO_LARGE = -2;

    /** What is known of the request. */
    enum Kind {
        /** It was never sent. */
        NOT_SENT,
        /** It may be carried out, now or later. */
        MAY_BE_DONE,
        /** It was not carried out and won't be: etcd said so. */
        REFUSED
    }

    private final Kind kind;
    private final int code;

    private EtcdFailure(Kind kind, int code, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.code = code;
    }

    static EtcdFailure notSent(String message, Throwable cause) {
        return new EtcdFailure(Kind.NOT_SENT, NO_CODE, message, cause);
    }

    static EtcdFailure noAnswer(String message, Throwable cause) {
        return new EtcdFailure(Kind.MAY_BE_DONE, NO_CODE, message, cause);
    }

    /** Reading less at a time helps. */
    static EtcdFailure tooLarge(String message, Throwable cause) {
        return new EtcdFailure(Kind.MAY_BE_DONE, TOO_LARGE, message, cause);
    }

    static EtcdFailure refused(String message) {
        return new EtcdFailure(Kind.REFUSED, NO_CODE, message, null);
    }

    /**
     * etcd answered with an error. That it has no leader (14), that time is over (4), and whatever
     * is not known here leave open what became of the request.
     */
    static EtcdFailure answered(int code, String message) {
        Kind kind =
                switch (code) {
                    case INVALID_ARGUMENT,
                            NOT_FOUND,
                            PERMISSION_DENIED,
                            RESOURCE_EXHAUSTED,
                            FAILED_PRECONDITION,
                            OUT_OF_RANGE,
                            UNAUTHENTICATED ->
                            Kind.REFUSED;
                    default -> Kind.MAY_BE_DONE;
                };
        return new EtcdFailure(kind, code, message + " (code " + code + ")", null);
    }

    boolean mayBeDone() {
        return kind == Kind.MAY_BE_DONE;
    }

    boolean isRefused() {
        return kind == Kind.REFUSED;
    }

    /** The token is too old, or from before the rights changed: another one helps. */
    boolean isOfToken() {
        return code == UNAUTHENTICATED
                || code == INVALID_ARGUMENT && getMessage().contains("revision of auth store");
    }

    boolean isNotFound() {
        return code == NOT_FOUND;
    }

    /** The answer was larger than this client, or etcd's gateway, takes. */
    boolean isTooLarge() {
        return code == TOO_LARGE
                || code == RESOURCE_EXHAUSTED && getMessage().contains("larger than max");
    }

    /** etcd does not have the revision any more that was to be read. */
    boolean isOfOldRevision() {
        return code == OUT_OF_RANGE;
    }
}
