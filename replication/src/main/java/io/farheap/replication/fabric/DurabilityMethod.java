package io.farheap.replication.fabric;

/** What makes a posted record durable on the target. The target reports it, nobody guesses. */
public enum DurabilityMethod {
    /** General purpose: the target flushes the range that a message names, then answers. */
    GPSPM,
    /** Appliance: a read that pushes the writes before it proves them durable. */
    APM
}
