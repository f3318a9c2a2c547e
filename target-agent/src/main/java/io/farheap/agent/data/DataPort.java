package io.farheap.agent.data;

import io.farheap.agent.base.Refusal;
import io.farheap.agent.config.AgentConfiguration;
import io.farheap.agent.replica.OpenReplica;
import io.farheap.agent.store.ReplicaStore;
import io.farheap.base.FarheapException;
import io.farheap.replication.control.Blob;
import io.farheap.replication.control.DataEndpoint;
import io.farheap.replication.control.Limits;
import io.farheap.replication.fabric.DurabilityMethod;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.FabricKind;
import io.farheap.replication.fabric.TargetListener;
import io.farheap.replication.fabric.tcp.TcpFabric;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;

/**
 * Where the initiator's data connection is waited for: over which fabric, what its writes reach,
 * and what makes them durable.
 */
public record DataPort(TargetListener listener, DataEndpoint endpoint) {

    /**
     * @param offered the fabrics that the initiator can use
     * @param tunnel whether the data connection comes through ssh
     * @param caller how the initiator has come
     * @throws Refusal when the two sides' settings have nothing in common
     */
    public static DataPort open(
            AgentConfiguration configuration,
            TargetMachine machine,
            List<FabricKind> offered,
            boolean tunnel,
            Caller caller,
            OpenReplica replica,
            Path journal) {
        byte[] secret = new byte[Fabric.SECRET_BYTES];
        new SecureRandom().nextBytes(secret);
        if (offered.contains(FabricKind.TLS)) {
            return withinTls(configuration, caller, replica, secret);
        }
        InetAddress address = DataAddress.forVerbs(configuration, tunnel, caller);
        FabricChoice choice = FabricChoice.of(configuration, offered, tunnel, address, machine);
        ReplicaStore store = replica.store();
        RingPlace place = null;
        if (choice.kind() == FabricKind.VERBS) {
            try {
                place =
                        RingPlace.overVerbs(
                                machine.verbs(configuration.waiting()),
                                address,
                                secret,
                                replica.journalDomain(),
                                store.intake().ring(),
                                store.intake()::bounceRing,
                                configuration.persistApm()
                                        ? store.intake().published()
                                        : MemorySegment.NULL);
            } catch (FarheapException e) {
                choice = FabricChoice.tcpBecause(e.getMessage(), configuration, offered);
            }
        }
        if (place == null) {
            TcpFabric tcp = new TcpFabric(configuration.waiting());
            InetAddress control = DataAddress.forControl(configuration, tunnel, caller);
            place = RingPlace.overTcp(tcp.listen(control, 0, secret, store.intake().ring()));
            address = control;
        }
        if (place.inPlace()) {
            store.intake().dropBounceRing();
        }
        PersistentRegion region =
                choice.kind() == FabricKind.TCP ? PersistentRegion.NONE : machine.regionOf(journal);
        try {
            DataEndpoint endpoint =
                    endpoint(configuration, region, replica, choice, place, address, secret);
            if (endpoint.method() == DurabilityMethod.APM) {
                store.watchRing();
            } else {
                store.waitForWord();
            }
            return new DataPort(place.listener(), endpoint);
        } catch (Refusal e) {
            place.listener().close();
            throw e;
        }
    }

    private static DataPort withinTls(
            AgentConfiguration configuration, Caller caller, OpenReplica replica, byte[] secret) {
        ReplicaStore store = replica.store();
        RingPlace place = RingPlace.overTcp(caller.door(secret, store.intake().ring()));
        store.intake().dropBounceRing();
        FabricChoice choice =
                new FabricChoice(FabricKind.TLS, "within TLS, as the control connection is");
        try {
            DataEndpoint endpoint =
                    endpoint(
                            configuration,
                            PersistentRegion.NONE,
                            replica,
                            choice,
                            place,
                            caller.address(),
                            secret);
            store.waitForWord();
            return new DataPort(place.listener(), endpoint);
        } catch (Refusal e) {
            place.listener().close();
            throw e;
        }
    }

    private static DataEndpoint endpoint(
            AgentConfiguration configuration,
            PersistentRegion region,
            OpenReplica replica,
            FabricChoice choice,
            RingPlace place,
            InetAddress address,
            byte[] secret) {
        DurabilityChoice durability =
                DurabilityChoice.of(
                        configuration,
                        choice.kind(),
                        replica.journalDomain(),
                        place.inPlace(),
                        region);
        return new DataEndpoint(
                address.getHostAddress(),
                place.listener().port(),
                Blob.of(secret),
                replica.store().intake().ring().byteSize(),
                durability.method(),
                Limits.cut(durability.reason() + "; " + place.describe()),
                choice.kind(),
                Limits.cut(choice.reason()));
    }
}
