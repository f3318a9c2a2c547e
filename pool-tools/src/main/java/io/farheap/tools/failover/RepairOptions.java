package io.farheap.tools.failover;

import io.farheap.availability.HighAvailability;
import io.farheap.availability.RecordRepair;
import io.farheap.base.FarheapException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine.Option;

/** Which copy is here, and which ones are lost: of force, rebase and discard. */
final class RepairOptions {
    @Option(
            names = "--from",
            paramLabel = "NODE",
            description = "force: this node, whose copy is to go on")
    private String from;

    @Option(
            names = "--node",
            paramLabel = "NODE",
            description = "rebase, discard: this node, as other nodes' REPLICA lines name its host")
    private String node;

    @Option(
            names = "--copy",
            paramLabel = "COPY",
            description = "force, rebase, discard: the poolset file of this node's copy")
    private Path copy;

    @Option(
            names = "--lost",
            paramLabel = "NODE",
            description =
                    "force, rebase: the copy of this node is lost for good. May be given several"
                            + " times")
    private List<String> lost = List.of();

    @Option(
            names = "--discard",
            paramLabel = "UUID",
            description = "discard: this node's copy may go; discard prints its uuid")
    private String discard;

    Set<String> lost() {
        return new TreeSet<>(lost);
    }

    String discarded() {
        return discard == null ? "" : discard;
    }

    /**
     * @param poolset behind the action; null: none
     */
    void requireNone(Path poolset) {
        require(
                poolset == null
                        && from == null
                        && node == null
                        && copy == null
                        && lost.isEmpty()
                        && discard == null,
                "POOLSET, --from, --node, --copy, --lost and --discard are for force, rebase and"
                        + " discard.");
    }

    /**
     * @param poolset behind the action; null: none
     * @param force else it is rebase or discard
     */
    RecordRepair repair(HighAvailability reached, Path poolset, boolean force, boolean discards) {
        require(
                poolset != null && copy != null && (force ? from : node) != null,
                "Say the poolset file that the program opens, the one of this node's copy with"
                        + " --copy, and this node with "
                        + (force ? "--from." : "--node."));
        require((force ? node : from) == null, "--from is for force, and --node for the others.");
        require(discards || discard == null, "--discard=UUID is for discard.");
        require(!discards || lost.isEmpty(), "--lost is for force and rebase.");
        return reached.node(force ? from : node).copy(copy).repair(poolset);
    }

    private static void require(boolean fits, String sentence) {
        if (!fits) {
            throw FarheapException.wrongUse("%s", sentence);
        }
    }
}
