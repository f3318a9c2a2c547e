package io.farheap.zookeeper;

import io.farheap.availability.coordinator.StoreRefusedException;
import io.farheap.availability.coordinator.StoreUnavailableException;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;

/** What an answer that is none, and one that is a refusal, mean. */
final class ZooKeeperFailures {
    private final String servers;

    ZooKeeperFailures(ZooKeeperSettings settings) {
        this.servers = settings.connectString();
    }

    /**
     * Whether the server has not said what became of the request: it may have been carried out, or
     * may be later.
     */
    static boolean isUnanswered(KeeperException failure) {
        return switch (failure.code()) {
            case CONNECTIONLOSS,
                    SESSIONEXPIRED,
                    SESSIONMOVED,
                    OPERATIONTIMEOUT,
                    REQUESTTIMEOUT,
                    SYSTEMERROR,
                    RUNTIMEINCONSISTENCY,
                    DATAINCONSISTENCY,
                    MARSHALLINGERROR,
                    UNKNOWNSESSION,
                    THROTTLEDOP,
                    NOTREADONLY ->
                    true;
            default -> false;
        };
    }

    /** Also where the server has ended the session and has not said what became of its requests. */
    static boolean mayBeDone(KeeperException failure) {
        return isUnanswered(failure)
                || failure.code() == Code.AUTHFAILED
                || failure.code() == Code.SESSIONCLOSEDREQUIRESASLAUTH;
    }

    /**
     * @param code as a server says it; one that this client has no exception for tells nothing
     */
    static KeeperException of(int code, String path) {
        try {
            return KeeperException.create(Code.get(code), path);
        } catch (IllegalArgumentException e) {
            return KeeperException.create(Code.SYSTEMERROR, path + ", with code " + code);
        }
    }

    StoreUnavailableException unavailable(KeeperException last) {
        return new StoreUnavailableException(
                String.format(
                        "ZooKeeper does not answer (%s: %s): check that most of its servers run and"
                                + " that this machine reaches them, with TLS where they ask for it;"
                                + " it is asked again.",
                        servers, last.code()),
                last);
    }

    StoreUnavailableException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new StoreUnavailableException(
                "An interrupt has ended the wait for ZooKeeper (" + servers + ").", e);
    }

    StoreRefusedException refused(KeeperException refusal) {
        String why =
                switch (refusal.code()) {
                    case NOAUTH, INVALIDACL, AUTHFAILED, SESSIONCLOSEDREQUIRESASLAUTH ->
                            "this client has no permission there: look at its user and password,"
                                    + " and at the node's access list (zkCli.sh: getAcl)";
                    case UNIMPLEMENTED ->
                            "the server does not know this request: ZooKeeper 3.6 or later is"
                                    + " needed";
                    case QUOTAEXCEEDED -> "the quota of its node is used up";
                    default -> "look into the server's log";
                };
        return new StoreRefusedException(
                String.format(
                        "ZooKeeper at %s refuses a request at %s (%s): %s.",
                        servers, refusal.getPath(), refusal.code(), why),
                refusal);
    }
}
