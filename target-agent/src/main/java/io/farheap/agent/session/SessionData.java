package io.farheap.agent.session;

import io.farheap.agent.config.AgentConfiguration;
import io.farheap.agent.data.ApplyLoop;
import io.farheap.agent.data.Caller;
import io.farheap.agent.data.DataPort;
import io.farheap.agent.data.DataService;
import io.farheap.agent.data.TargetMachine;
import io.farheap.agent.log.AgentLog;
import io.farheap.agent.replica.OpenReplica;
import io.farheap.agent.replica.ReplicaPaths;
import io.farheap.replication.control.DataEndpoint;
import io.farheap.replication.control.Request;
import io.farheap.replication.fabric.FabricKind;
import java.util.List;
import java.util.function.Consumer;

/**
 * The data connection of one session: where the initiator may make it, and the threads that serve
 * it. For the session's thread.
 */
final class SessionData {
    private final AgentConfiguration configuration;
    private final TargetMachine machine;
    private final Caller caller;
    private final AgentLog log;
    private final Consumer<RuntimeException> onFailure;
    private Request.Hello hello;
    private OpenReplica replica;
    private ReplicaPaths paths;

    /** Null while nothing is offered. */
    private DataService service;

    /**
     * @param onFailure told when a record can't be applied
     */
    SessionData(
            AgentConfiguration configuration,
            TargetMachine machine,
            Caller caller,
            AgentLog log,
            Consumer<RuntimeException> onFailure) {
        this.configuration = configuration;
        this.machine = machine;
        this.caller = caller;
        this.log = log;
        this.onFailure = onFailure;
    }

    boolean isOffered() {
        return service != null;
    }

    /** Grows with what arrives; only where a connection is offered. */
    long received() {
        return service.received();
    }

    /** Waits for the initiator's connection from now on, over the best of what it has. */
    DataEndpoint offer(Request.Hello request, OpenReplica open, ReplicaPaths where) {
        hello = request;
        replica = open;
        paths = where;
        return listen(request.fabrics());
    }

    /** The initiator could not make the connection that was offered; nobody uses it any more. */
    DataEndpoint offerAnother(FabricKind fabric) {
        try {
            close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
        return listen(List.of(fabric));
    }

    private DataEndpoint listen(List<FabricKind> fabrics) {
        DataPort port =
                DataPort.open(
                        configuration,
                        machine,
                        fabrics,
                        hello.tunnel(),
                        caller,
                        replica,
                        paths.journal().path());
        DataEndpoint endpoint = port.endpoint();
        log.info(
                "Data over "
                        + endpoint.fabric()
                        + ": "
                        + endpoint.fabricReason()
                        + ". "
                        + endpoint.method()
                        + ": "
                        + endpoint.methodReason());
        ApplyLoop apply = new ApplyLoop(replica.store(), onFailure);
        service =
                new DataService(
                        replica.store(),
                        port.listener(),
                        configuration.attachBound(),
                        apply,
                        this::ended);
        apply.start();
        service.start();
        return endpoint;
    }

    private void ended(String why) {
        log.warn("The data connection ended: " + why);
    }

    /** Nobody stores any more when this returns; without an offer it does nothing. */
    void close() throws InterruptedException {
        if (service != null) {
            service.close();
            service = null;
        }
    }
}
