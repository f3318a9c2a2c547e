package io.farheap.availability;

import io.farheap.agent.config.RecordedTerms;
import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.StoreStamp;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.journal.KeptTerm;
import io.farheap.simulation.engine.NodeServices;
import io.farheap.simulation.engine.World;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.Map;

/** What calls of a node's program become that reach the store, or read and write its term file. */
public final class SimulatedNode {
    private static final Field KEPT = kept();

    private SimulatedNode() {}

    private static Field kept() {
        try {
            Field field = TermFile.class.getDeclaredField("kept");
            field.setAccessible(true);
            return field;
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException(e);
        }
    }

    private static NodeServices node() {
        return World.current().process().machine().services(NodeServices.class);
    }

    static Coordinator connect(StoreAddress address) {
        return node().connect();
    }

    static void write(TermFile file, KeptTerm term) {
        World.current().point();
        node().keepTerm(term);
        try {
            KEPT.set(file, term);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
        World.current().point();
    }

    static void begin(Path firstPart, StoreStamp stamp) {
        if (node().term().equals(KeptTerm.NONE)) {
            node().keepTerm(new KeptTerm(0, 0, 0, stamp.identity(), stamp.revision()));
        }
    }

    public static KeptTerm read(Path file) {
        return node().term();
    }

    public static ReplicationSettings settings() {
        return node().settings();
    }

    public static ReplicationSettings settings(Path poolset, Map<String, String> said) {
        return node().settings();
    }

    /** What the agent finds as a service. */
    public static RecordedTerms recordedTerms() {
        return new StoredTerms();
    }
}
