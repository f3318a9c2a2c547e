package io.farheap.agent.session;

import io.farheap.agent.base.PoolsetDirectory;
import io.farheap.agent.base.Refusal;
import io.farheap.agent.config.AgentConfiguration;
import io.farheap.agent.config.AskedStore;
import io.farheap.agent.data.Caller;
import io.farheap.agent.data.TargetMachine;
import io.farheap.agent.lock.LockRequest;
import io.farheap.agent.lock.ReplicaLock;
import io.farheap.agent.log.AgentLog;
import io.farheap.agent.replica.OpenReplica;
import io.farheap.agent.replica.ReplicaInspection;
import io.farheap.agent.replica.ReplicaPaths;
import io.farheap.agent.replica.ReplicaRemoval;
import io.farheap.agent.store.ImageKind;
import io.farheap.agent.store.ReplicaStore;
import io.farheap.agent.store.SlotEvents;
import io.farheap.base.FarheapException;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.control.Limits;
import io.farheap.replication.control.Purpose;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.control.Request;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.ReplicaSlot;
import java.util.List;
import java.util.function.Consumer;

/**
 * The replica that one control connection has: found and locked by its hello, opened, and given up
 * with its end. What is here decides whose right it is and for how long; what is done with it is
 * for {@link SessionRequests}. For the session's thread, but for what says otherwise.
 */
final class SessionReplica implements AutoCloseable {
    private final AgentConfiguration configuration;
    private final TargetMachine machine;
    private final Caller caller;
    private final AgentLog log;
    private final Runnable onTakenOver;
    private final SessionData data;
    private volatile Request.Hello hello;
    private ReplicaPaths paths;
    private ReplicaLock lock;
    private volatile OpenReplica replica; // the thread that reads requests looks at it, too
    private boolean created;

    /**
     * @param caller how the initiator has come
     * @param onFailure told when the replica fails while no request is at work
     * @param onTakenOver told when another session of this process wants the replica
     */
    SessionReplica(
            AgentConfiguration configuration,
            TargetMachine machine,
            Caller caller,
            AgentLog log,
            Consumer<RuntimeException> onFailure,
            Runnable onTakenOver) {
        this.configuration = configuration;
        this.machine = machine;
        this.log = log;
        this.caller = caller;
        this.onTakenOver = onTakenOver;
        this.data = new SessionData(configuration, machine, caller, log, onFailure);
    }

    /** The hello, once it was received; else null. On any thread. */
    Request.Hello hello() {
        return hello;
    }

    /** Where its files are, once the hello was received. */
    ReplicaPaths paths() {
        return paths;
    }

    /** As it was opened; null where the purpose needs it closed. */
    OpenReplica open() {
        return replica;
    }

    /** The way of its records. */
    SessionData data() {
        return data;
    }

    /** Grows with what arrives on the data connection. */
    long received() {
        return data.isOffered() ? data.received() + replica.store().intake().sequence() : 0;
    }

    /** The initiator said something. On the thread that heard it. */
    void heard() {
        OpenReplica now = replica;
        if (now != null) {
            now.store().heard();
        }
    }

    /** What must come first: the right to the replica, and how it stands. */
    Reply.Verdict hello(Request.Hello request) {
        if (hello != null && hello.purpose() != Purpose.INSPECT) { // who looked has nothing yet
            throw new Refusal(Code.WRONG_STATE, "There was a hello before.", "Connect again.");
        }
        int version = HelloRules.requireUnderstood(request, configuration);
        caller.require(request);
        paths =
                ReplicaPaths.of(
                        new PoolsetDirectory(configuration.poolsetDirectory()),
                        request.poolset(),
                        machine.journalDevices(configuration, log::warn));
        if (request.purpose() == Purpose.INSPECT) {
            hello = request;
            String holder = ReplicaLock.holder(paths.lock());
            return inspected(holder, FreeRoom.of(paths, log)).in(version);
        }
        new HelloRules(request, paths).requireOwnRight();
        lock = lockFor(request);
        try {
            Reply.Verdict verdict =
                    request.purpose() == Purpose.REMOVE ? inspected("", null) : attach(request);
            hello = request;
            if (replica != null) {
                caller.holds(paths, replica.store());
            }
            log.info(
                    caller.named(request.initiator())
                            + " has "
                            + paths.name()
                            + " for "
                            + request.purpose()
                            + ", in version "
                            + version
                            + " of the protocol");
            return verdict.in(version);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** An epoch goes on only where nobody else was here: there is nothing to wait for then. */
    private ReplicaLock lockFor(Request.Hello request) {
        try {
            ReplicaLock acquired =
                    ReplicaLock.acquire(
                            paths.lock(),
                            new LockRequest(
                                    caller.named(request.initiator()),
                                    request.owner(),
                                    new HelloRules(request, paths).mayEndOthers(),
                                    request.term() != 0,
                                    caller.neighbours()),
                            configuration.takeOverBound());
            caller.neighbours().took(paths.lock(), onTakenOver);
            acquired.endedHolder()
                    .ifPresent(
                            holder ->
                                    log.warn(
                                            paths.name()
                                                    + " was attached to "
                                                    + holder
                                                    + ", which was ended."));
            return acquired;
        } catch (Refusal busy) {
            if (request.purpose() == Purpose.RESUME
                    && busy.code() == Code.BUSY
                    && !ReplicaLock.isFor(paths.lock(), request.owner())) {
                throw new Refusal(
                        Code.WRONG_STATE, busy.getMessage(), "Attach when that has ended.", busy);
            }
            throw busy;
        }
    }

    private Reply.Verdict inspected(String holder, Long room) {
        ReplicaInspection found = ReplicaInspection.of(paths, !holder.isEmpty());
        return new Reply.Verdict(
                AttachDecision.NONE,
                found.slot(),
                false,
                found.header(),
                paths.set().poolSize(),
                found.faults().stream().limit(Limits.MAX_TEXTS).map(Limits::cut).toList(),
                Limits.cut(holder.isEmpty() ? found.program() : holder),
                null,
                room,
                null);
    }

    private Reply.Verdict attach(Request.Hello request) {
        ReplicaOpening opening = new ReplicaOpening(paths, request, configuration.journalBytes());
        try {
            opening.open();
        } catch (FarheapException e) {
            return opening.ownedByAnother().orElseThrow(() -> e);
        } finally {
            replica = opening.replica();
            created = opening.isCreated();
        }
        opening.requireSamePool();
        ReplicaStore store = replica.store();
        store.hold(configuration.readHold());
        if (!replica.unreadable().isEmpty()) {
            log.warn(paths.name() + " can't be read on this machine: " + replica.unreadable());
        }
        if (HelloRules.isWriter(request.purpose())) {
            RecordsCopy.require(paths, store.report(), request);
            greet(store, request);
            if (request.purpose() != Purpose.RETURN) {
                store.applyCommitted(request.runId());
            }
        } else if (request.purpose() == Purpose.RESTORE) {
            SlotEvents.requireNoRecord(store.slot(), request.term());
        }
        SlotReport report = store.report();
        AttachDecision kind =
                switch (request.purpose()) {
                    case ATTACH ->
                            store.switching()
                                    .attach(
                                            request.runId(),
                                            request.nextRunId(),
                                            request.descendsFrom(),
                                            request.committed(),
                                            request.overwrite());
                    case RESUME -> store.resume(request.runId());
                    case CREATE_MEMORY, OPEN_MEMORY -> {
                        store.startMemory(request.nextRunId());
                        yield AttachDecision.NONE;
                    }
                    default -> AttachDecision.NONE;
                };
        boolean useful =
                switch (kind) {
                    case NONE -> request.purpose() != Purpose.RETURN; // only its state changes
                    case NEW, CURRENT, SYNC_INTERRUPTED, STALE -> true;
                    case NOT_COMPARABLE, TAKEN_OVER, OPENED_ON_TARGET -> request.overwrite();
                };
        return new Reply.Verdict(
                kind,
                report,
                created,
                replica.header(),
                replica.imageBytes(),
                List.of(),
                "",
                useful ? data.offer(request, replica, paths) : null);
    }

    /** An older copy of the files may have been put here, and does not know who writes now. */
    private void greet(ReplicaStore store, Request.Hello request) {
        long recorded =
                AskedStore.termOf(
                        configuration.asked(),
                        new PoolsetDirectory(configuration.poolsetDirectory()),
                        paths.poolsetFile());
        if (recorded > request.term()) {
            store.greet(Math.max(recorded, store.slot().term()), request.recordId());
        }
        store.greet(request.term(), request.recordId());
    }

    /** Whoever made a program's memory has it, once the hello was answered. */
    private boolean isUnused(ReplicaSlot slot) {
        return ImageKind.of(slot).isUnused(slot.state(), hello != null);
    }

    /**
     * Ends the initiator's right: first nobody stores any more, then files, then the lock. A
     * replica that was made here and got nothing is taken back. Where one of these fails, the lock
     * stays until the process ends: somebody may still store.
     */
    @Override
    public void close() {
        try {
            data.close();
            if (replica != null) {
                ReplicaStore store = replica.store();
                boolean unused = created && isUnused(store.slot());
                replica.close();
                caller.leaves(paths, store);
                replica = null;
                if (unused) {
                    new ReplicaRemoval(paths).remove(false);
                }
            }
            if (lock != null) {
                caller.neighbours().leaves(paths.lock(), onTakenOver);
                lock.removeUnless(paths.journal().path());
                lock.close();
                lock = null;
            }
        } catch (InterruptedException e) {
            // The process ends; unmapping under a running thread would crash it instead.
            Thread.currentThread().interrupt();
        } catch (FarheapException e) {
            log.error("The replica's files could not be closed in good order", e);
        }
    }
}
