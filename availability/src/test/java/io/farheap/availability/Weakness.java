package io.farheap.availability;

import io.farheap.availability.RecordSimulation.Fault;
import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.StoreUnavailableException;
import io.farheap.availability.coordinator.Swap;
import io.farheap.availability.coordinator.Versioned;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** A rule of docs/high-availability.md that is not kept, and the faults that then do harm. */
enum Weakness {
    COMPARE(Fault.TAKE_OVER, Fault.CHANGE),
    KNOWN_CAS(Fault.TAKE_OVER, Fault.CHANGE, Fault.STORE),
    SETTLE_FIRST(Fault.TAKE_OVER, Fault.CHANGE, Fault.STORE),
    KEEP_SET(Fault.TAKE_OVER, Fault.LOST_NODE),
    ONLY_MEMBERS(Fault.TAKE_OVER, Fault.CHANGE),
    NUMBER_CHECK(Fault.TAKE_OVER, Fault.CHANGE, Fault.OLD_BACKUP),
    STORE_WENT_BACK(Fault.TAKE_OVER, Fault.CHANGE, Fault.RESTORED_STORE),
    PREPARE_SELF(Fault.TAKE_OVER, Fault.CHANGE, Fault.CRASH),
    RECORD_BEFORE_ACK(Fault.TAKE_OVER, Fault.CHANGE),
    RECORD_BEFORE_OPEN(Fault.TAKE_OVER, Fault.CHANGE);

    private final Set<Fault> faults;

    Weakness(Fault... faults) {
        this.faults = EnumSet.noneOf(Fault.class);
        this.faults.addAll(Set.of(faults));
    }

    Set<Fault> faults() {
        return faults;
    }

    /** A client of the store through which the rule is broken. */
    static Coordinator weaken(Weakness weakness, String node, Coordinator store) {
        return new Weak(weakness, node, store);
    }

    /** Of a node. */
    private record Weak(Weakness weakness, String node, Coordinator store)
            implements ForwardingCoordinator {
        @Override
        public Versioned read(String key) {
            Versioned read = store.read(key);
            if (weakness != ONLY_MEMBERS || read.value().isEmpty()) {
                return read;
            }
            ClusterRecord record = ClusterRecordCodec.decode(key, read.value().get());
            TreeSet<String> more = new TreeSet<>(record.set());
            more.add(node);
            return new Versioned(Optional.of(encoded(record, more)), read.version(), read.stamp());
        }

        @Override
        public Swap compareAndSet(String key, long version, byte[] value) {
            Swap swap =
                    switch (weakness) {
                        case COMPARE -> store.compareAndSet(key, store.read(key).version(), value);
                        case KEEP_SET -> store.compareAndSet(key, version, alone(key, value));
                        default -> store.compareAndSet(key, version, value);
                    };
            return weakness == KNOWN_CAS && swap.outcome() == Swap.Outcome.UNKNOWN
                    ? taken(key, version, swap)
                    : swap;
        }

        /** For applied, if the store says where it is. */
        private Swap taken(String key, long version, Swap swap) {
            try {
                return Swap.applied(version + 1, store.read(key).stamp());
            } catch (StoreUnavailableException e) {
                return swap;
            }
        }

        /** At a take-over: the set is what did not change. */
        private byte[] alone(String key, byte[] value) {
            ClusterRecord record = ClusterRecordCodec.decode(key, value);
            Optional<byte[]> before = store.read(key).value();
            if (before.isEmpty()
                    || ClusterRecordCodec.decode(key, before.get()).term() == record.term()) {
                return value;
            }
            TreeSet<String> set = new TreeSet<>();
            set.add(record.writer());
            return encoded(record, set);
        }

        private static byte[] encoded(ClusterRecord record, TreeSet<String> set) {
            return ClusterRecordCodec.encode(
                    new ClusterRecord(
                                    record.term(),
                                    set.contains(record.writer()) ? record.writer() : set.first(),
                                    set,
                                    record.number(),
                                    record.planVersion(),
                                    record.nonce())
                            .identified(record.id()));
        }
    }
}
