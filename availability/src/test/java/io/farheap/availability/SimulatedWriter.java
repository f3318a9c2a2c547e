package io.farheap.availability;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/** A process that writes, or is about to: all of it is gone with a crash. */
final class SimulatedWriter {
    /** How far it is. */
    enum Phase {
        NAMED,
        FENCED,
        PREPARING,
        UNSETTLED,
        RECORDED,
        CONFIRMING,
        OPEN
    }

    final String node;
    final long term;
    final PoolRecord record;
    Phase phase;
    SortedSet<String> set;
    long epoch;

    /** Commits that it has sent in this epoch. */
    final List<Integer> posted = new ArrayList<>();

    int committed;

    // The switch under way.
    SortedSet<String> wanted = new TreeSet<>();
    long number;
    final Set<String> prepared = new HashSet<>();
    final Set<String> confirmed = new HashSet<>();

    /** By member: how many of the epoch's records it has answered. */
    final Map<String, Integer> answered = new HashMap<>();

    SimulatedWriter(String node, PoolRecord record, Phase phase, ClusterRecord from) {
        this.node = node;
        this.record = record;
        this.phase = phase;
        this.term = from.term();
        this.set = from.set();
    }

    @Override
    public String toString() {
        return phase + " term " + term + " epoch " + epoch + " set " + set;
    }
}
