package io.farheap.replication.control;

import io.farheap.replication.fabric.DurabilityMethod;
import io.farheap.replication.fabric.FabricKind;
import io.farheap.replication.journal.JournalLayout;

/**
 * Where and how the data connection is made.
 *
 * @param host address to connect to; empty: the host of the poolset line
 * @param port TCP port
 * @param secret shown first on the data connection, good for one connection
 * @param ringBytes capacity of the journal's ring
 * @param method what makes a record durable there
 * @param methodReason why that method and no other, for a person
 * @param fabric what the connection is made over; tcp where it is left out
 * @param fabricReason why that fabric and no other, for a person; "" where it is left out
 */
public record DataEndpoint(
        String host,
        int port,
        Blob secret,
        long ringBytes,
        DurabilityMethod method,
        String methodReason,
        FabricKind fabric,
        String fabricReason) {
    public DataEndpoint {
        Limits.requireText(host, "host");
        Limits.require(port > 0 && port < 65536, "port");
        Limits.require(secret != null && secret.length() >= 16 && secret.length() <= 64, "secret");
        Limits.require(
                ringBytes > 0
                        && ringBytes <= JournalLayout.MAX_CAPACITY
                        && ringBytes % JournalLayout.CAPACITY_UNIT == 0,
                "ringBytes");
        Limits.require(
                method == DurabilityMethod.GPSPM
                        || method == DurabilityMethod.APM && fabric == FabricKind.VERBS,
                "method");
        Limits.requireText(methodReason, "methodReason");
        fabric = fabric == null ? FabricKind.TCP : fabric;
        fabricReason = fabricReason == null ? "" : fabricReason;
        Limits.requireText(fabricReason, "fabricReason");
    }

    @Override
    public String toString() {
        return host + ":" + port; // never the secret
    }
}
