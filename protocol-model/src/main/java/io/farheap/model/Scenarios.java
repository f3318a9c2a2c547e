package io.farheap.model;

import java.util.List;

/** Bounds in which nothing may go wrong. */
final class Scenarios {
    private Scenarios() {}

    /** Less than a million states each. */
    static final List<Bounds> SMALL =
            List.of(
                    Bounds.of(
                            "live-fail-1-replica",
                            "live, 2 transactions, 1 program-crash, 1 connection, 1 target-power,"
                                    + " 2 faults"),
                    Bounds.of(
                            "live-fail-2-replicas",
                            "live, 2 replicas, 1 thread, 2 transactions, 1 program-crash,"
                                    + " 1 connection, 1 agent-crash, 2 faults"),
                    Bounds.of(
                            "live-degrade-1-replica",
                            "live, raw, degrade, 1 program-crash, 1 connection, 1 agent-crash,"
                                    + " 1 unreachable, 2 faults"),
                    Bounds.of(
                            "live-degrade-2-replicas",
                            "live, 2 replicas, degrade, 1 thread, 1 program-crash, 1 connection,"
                                    + " 1 agent-crash, 1 unreachable, 2 faults"),
                    Bounds.of(
                            "degrade-2-replicas-map-fails",
                            "2 replicas, degrade, 1 thread, 1 program-crash, 2 connection,"
                                    + " 1 map-fails, 1 unreachable, 3 faults"));

    /** Up to twenty million. */
    static final List<Bounds> LARGE =
            List.of(
                    Bounds.of(
                            "fail-1-replica-2-transactions",
                            "2 transactions, 1 program-crash, 1 program-power, 1 connection,"
                                    + " 1 target-power, 1 promotion, 2 faults"),
                    Bounds.of(
                            "fail-1-replica-4-faults",
                            "2 program-crash, 1 program-power, 2 connection, 1 agent-crash,"
                                    + " 1 target-power, 1 promotion, 4 faults"),
                    Bounds.of(
                            "fail-1-replica-raw",
                            "raw, 2 transactions, 1 program-crash, 1 program-power, 1 connection,"
                                    + " 1 agent-crash, 1 target-power, 2 faults"),
                    Bounds.of(
                            "fail-1-replica-others",
                            "2 program-crash, 1 program-power, 1 connection, 1 second-initiator,"
                                    + " 1 foreign-open, 1 promotion, 1 failback, 4 faults"),
                    Bounds.of(
                            "fail-2-replicas",
                            "2 replicas, 1 program-crash, 1 program-power, 1 connection,"
                                    + " 1 agent-crash, 1 promotion, 2 faults"),
                    Bounds.of(
                            "fail-2-replicas-target-power",
                            "2 replicas, 1 program-crash, 1 connection, 1 target-power,"
                                    + " 1 promotion, 2 faults"),
                    Bounds.of(
                            "degrade-1-replica",
                            "raw, degrade, 2 program-crash, 2 connection, 1 agent-crash,"
                                    + " 1 target-power, 1 promotion, 1 foreign-open,"
                                    + " 1 unreachable, 3 faults"),
                    Bounds.of(
                            "degrade-1-replica-2-transactions",
                            "degrade, 2 transactions, 1 program-crash, 1 connection,"
                                    + " 1 target-power, 1 promotion, 1 unreachable, 2 faults"),
                    Bounds.of(
                            "degrade-1-replica-second-initiator",
                            "degrade, 1 second-initiator, 2 program-crash, 1 connection,"
                                    + " 1 promotion, 1 failback, 1 unreachable, 3 faults"),
                    Bounds.of(
                            "degrade-2-replicas",
                            "2 replicas, degrade, 1 thread, 2 program-crash, 2 connection,"
                                    + " 1 promotion, 1 unreachable, 3 faults"),
                    Bounds.of(
                            "degrade-2-replicas-2-threads",
                            "2 replicas, degrade, 1 program-crash, 1 connection, 1 promotion,"
                                    + " 1 unreachable, 2 faults"));
}
