package io.farheap.agent.session;

import io.farheap.agent.base.Refusal;
import io.farheap.agent.replica.FormerWriter;
import io.farheap.agent.replica.ReplicaInspection;
import io.farheap.agent.replica.ReplicaPaths;
import io.farheap.agent.replica.ReplicaRemoval;
import io.farheap.agent.store.ReplicaStore;
import io.farheap.agent.store.ReplicaSwitch;
import io.farheap.replication.control.ByteRange;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.control.Request;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.ReplicaState;
import java.util.List;

/**
 * Carries out the requests of one control connection on one replica. Each either is done, durably,
 * or refused with nothing changed. For the session's thread.
 */
final class SessionRequests {
    private final SessionReplica own;

    /** What the switch will give the pool: as hello said, or the completion of a copy. */
    private long number;

    /** The epoch that is to be confirmed does not wait for this replica. */
    private boolean mayLag;

    private List<ByteRange> footprint;

    /**
     * @param own what they are about
     */
    SessionRequests(SessionReplica own) {
        this.own = own;
    }

    Reply handle(Request request) {
        if (request instanceof Request.Hello first) {
            Reply verdict = own.hello(first);
            number = first.nextRunId();
            return verdict;
        }
        if (request instanceof Request.Bye) {
            return done(request);
        }
        Request.Hello hello = own.hello();
        if (hello == null) {
            throw new Refusal(Code.WRONG_STATE, "A hello must come first.", "");
        }
        if (request instanceof Request.DataOver other && own.data().isOffered()) {
            return new Reply.Data(own.data().offerAnother(other.fabric()));
        }
        return switch (hello.purpose()) {
            case ATTACH, RESUME -> attached(request);
            case RETURN -> returning(request);
            case RESTORE -> restoring(request);
            case REMOVE -> removing(request);
            case CREATE_MEMORY, OPEN_MEMORY -> remembering(request);
            case VERIFY -> comparing(request);
            case INSPECT -> throw unfit(request);
        };
    }

    /** What the tail's records will change explains why the image differs now. */
    private Reply comparing(Request request) {
        ReplicaStore store = store(request);
        if (request instanceof Request.Footprint page) {
            if (footprint == null) {
                footprint = store.footprintAtRest();
            }
            return page(page);
        }
        throw unfit(request);
    }

    private Reply attached(Request request) {
        ReplicaStore store = store(request);
        ReplicaSwitch steps = store.switching();
        if (request instanceof Request.Footprint page) {
            if (footprint == null) {
                footprint = steps.footprint();
            }
            return page(page);
        }
        if (request instanceof Request.ReadImage read) {
            return store.readImage(read.offset(), read.length(), read.content());
        }
        if (request instanceof Request.Records records) {
            footprint = null;
            return steps.append(records.position(), records.content().toByteArray());
        }
        if (request instanceof Request.Drain drain) {
            steps.drain(drain.sequence());
            footprint = null;
        } else if (request instanceof Request.Prepare) {
            steps.prepare();
        } else if (request instanceof Request.Confirm confirm) {
            requireNumber(confirm.runId());
            steps.confirm(confirm.runId(), mayLag);
        } else if (request instanceof Request.MayLag) {
            mayLag = true;
        } else if (request instanceof Request.CaughtUp caughtUp) {
            store.caughtUp(caughtUp.sequence());
        } else if (request instanceof Request.StartSync) {
            steps.startSync();
        } else if (request instanceof Request.SyncComplete complete) {
            steps.syncComplete(complete.runId(), own.hello().layout());
            number = complete.runId();
        } else {
            throw unfit(request);
        }
        return done(request);
    }

    private void requireNumber(long runId) {
        if (runId != number) {
            throw new Refusal(
                    Code.WRONG_NUMBER,
                    "The number " + runId + " is not the one announced, " + number + ".",
                    "Attach again.");
        }
    }

    private Reply returning(Request request) {
        if (!(request instanceof Request.Return end)) {
            throw unfit(request);
        }
        store(request)
                .ownership()
                .comeBack(
                        own.hello().runId(),
                        end.sequence(),
                        end.position(),
                        FormerWriter.kept(own.paths()));
        return done(request);
    }

    private Reply restoring(Request request) {
        ReplicaStore store = store(request);
        if (request instanceof Request.Promote) {
            long replayed = store.ownership().promote();
            return new Reply.Promoted(store.slot().cur(), replayed);
        }
        if (request instanceof Request.RestoreComplete complete) {
            store.ownership().restoreComplete(complete.nextRunId());
            return done(request);
        }
        throw unfit(request);
    }

    private Reply remembering(Request request) {
        ReplicaStore store = store(request);
        if (request instanceof Request.ReadImage read) {
            return store.readImage(read.offset(), read.length(), read.content());
        }
        if (request instanceof Request.SetAttributes set) {
            own.open().setAttributes(set.header());
            return done(request);
        }
        throw unfit(request);
    }

    private Reply removing(Request request) {
        if (!(request instanceof Request.Remove remove)) {
            throw unfit(request);
        }
        ReplicaPaths paths = own.paths();
        paths.requireNoReplicas();
        ReplicaRemoval removal = new ReplicaRemoval(paths);
        removal.requireReplica();
        new HelloRules(own.hello(), paths).requireNamedPool();
        if (!remove.force()) {
            requireNotPromoted(paths);
        }
        removal.removeAll(remove.force());
        if (remove.poolsetFile()) {
            removal.removePoolset();
        }
        return done(request);
    }

    /** It is somebody's pool: who lost it does not remove it by the way. */
    private static void requireNotPromoted(ReplicaPaths paths) {
        SlotReport slot = ReplicaInspection.of(paths, true).slot();
        if (slot != null && slot.state() == ReplicaState.PROMOTED) {
            throw new Refusal(
                    Code.WRONG_STATE,
                    "The replica " + paths.name() + " was promoted, and is a pool of its own.",
                    "It is left as it is: farheap status, there, says what it holds.");
        }
    }

    private ReplicaStore store(Request request) {
        if (own.open() == null) {
            throw unfit(request);
        }
        return own.open().store();
    }

    private Reply page(Request.Footprint request) {
        int from = (int) Math.min(request.from(), footprint.size());
        int to = (int) Math.min((long) from + request.max(), footprint.size());
        return new Reply.FootprintPage(footprint.subList(from, to), to == footprint.size());
    }

    private static Reply done(Request request) {
        return new Reply.Done(request.type());
    }

    private Refusal unfit(Request request) {
        return new Refusal(
                Code.WRONG_STATE,
                "The request "
                        + request.type()
                        + " does not fit a connection for "
                        + own.hello().purpose()
                        + " on a replica in this state.",
                "Connect again.");
    }
}
