package io.farheap.tools.failover;

import io.farheap.availability.CataloguedPool;
import io.farheap.availability.PoolCatalogue;
import io.farheap.base.FarheapException;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.tools.command.SizeConverter;
import io.farheap.tools.placement.Machine;
import io.farheap.tools.placement.MovePlan;
import io.farheap.tools.placement.NewPool;
import io.farheap.tools.placement.PlacementRules;
import io.farheap.tools.placement.PoolMove;
import io.farheap.tools.report.Output;
import io.farheap.tools.status.StatusCommand;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code farheap place}. */
@Command(
        name = "place",
        description = {
            "Says which machines get the copies of a pool, and which copies would have to move.",
            "",
            "Without --store: for new pools, the machines of each, the preferred writer first, and"
                    + " their lines for poolset files. Refused where there are not enough machines,"
                    + " or labels: never is there a copy less.",
            "",
            "With --store: for the pools of a store, or those that are named, what to do now that"
                    + " machines have come, gone or become full: a copy comes first, and what it"
                    + " replaces leaves when it is in sync. A pool that wants attention gets no"
                    + " proposal, but a sentence. Exit code 0: nothing is to be done; 5: something"
                    + " is, or a pool has no proposal.",
            "",
            "It changes nothing. The same machines, room and names give the same answer."
        },
        footer = {
            "",
            "Examples:",
            "  farheap place --machines m.json --copies 3 --spread zone --size 10G bank",
            "  farheap place --machines m.json --copies 2 --size 10G --json bank cards",
            "  farheap place --machines m.json --size 10G --store etcd:http://e1:2379"
        },
        mixinStandardHelpOptions = true)
public final class PlaceCommand implements Callable<Integer> {
    private static final String NO_LABEL = "none";

    @Parameters(
            arity = "0..*",
            paramLabel = "NAME",
            description = "pools; with --store: these only, instead of all")
    private List<String> names = List.of();

    @Option(
            names = "--machines",
            required = true,
            paramLabel = "FILE",
            description = "the machines with addresses, directories and labels, in JSON")
    private Path file;

    @Option(
            names = "--copies",
            paramLabel = "N",
            description =
                    "of each pool; with --store: at least; default there: as many as it has, and then"
                            + " nothing shows that a line was taken out by hand")
    private Integer copies;

    @Option(
            names = "--spread",
            paramLabel = "LABEL",
            description =
                    "no two copies on machines with the same value of this label; none: on any two"
                            + " machines; default: what the file says as \"spread\", which is to be"
                            + " said where machines have labels")
    private String spread;

    @Option(
            names = "--size",
            required = true,
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description =
                    "of a copy, such as 10G; with --store: of the largest, for the reckoning of room"
                            + " only: a new copy's parts are as large as the pool's")
    private long size;

    @Option(
            names = "--margin",
            paramLabel = "SIZE",
            defaultValue = "1G",
            converter = SizeConverter.class,
            description =
                    "what is to stay free on each machine; default: ${DEFAULT-VALUE}. A machine"
                            + " with less is full")
    private long margin;

    @Option(
            names = "--only-needed",
            description =
                    "with --store: no copy moves only because another machine is the better place by"
                            + " now")
    private boolean onlyNeeded;

    @Option(
            names = "--store",
            paramLabel = "STORE",
            description =
                    "etcd:https://e1:2379,https://e2:2379: its endpoints for clients; or"
                            + " zookeeper:z1:2181,z2:2181/farheap, with farheap-zookeeper in ext/")
    private String store;

    @Option(
            names = "--cluster",
            paramLabel = "NAME",
            defaultValue = PoolInStore.USUAL_CLUSTER,
            description = "the pools' cluster in the store; default: ${DEFAULT-VALUE}")
    private String cluster;

    @Mixin private StoreAccess access;

    @Mixin private Output output;

    @Override
    public Integer call() throws IOException {
        Set<String> pools = new LinkedHashSet<>(names);
        require(pools.size() == names.size(), "A pool is named twice.");
        require(copies == null || copies > 0, "--copies is 1 at least.");
        for (String name : pools) {
            require(
                    MachinesFile.NAME.matcher(name).matches(),
                    "\"%s\" can't be the name of a pool: use up to 63 letters, digits, dots,"
                            + " hyphens and underscores, a letter or digit first.",
                    name);
        }
        require(
                store != null || copies != null && !pools.isEmpty(),
                "Say --copies and the names of new pools; or --store, for those that there are.");
        MachinesFile.Content content = MachinesFile.read(file);
        List<MachinesFile.Entry> entries = content.entries();
        String apart = apart(content);
        PlacementRules rules =
                new PlacementRules(copies == null ? 0 : copies, apart, size, margin, onlyNeeded);
        if (store == null) {
            return placeNew(List.copyOf(pools), rules, asked(entries));
        }
        List<CataloguedPool> catalogue = catalogue();
        for (String name : pools) {
            require(
                    catalogue.stream().anyMatch(pool -> pool.pool().equals(name)),
                    "The store has no record of a pool %s in cluster %s.",
                    name,
                    cluster);
        }
        return move(catalogue, pools, rules, asked(entries));
    }

    private String apart(MachinesFile.Content content) {
        if (spread != null) {
            return spread.equals(NO_LABEL) ? "" : spread;
        }
        Set<String> labels = new TreeSet<>();
        content.entries().forEach(entry -> labels.addAll(entry.machine().labels().keySet()));
        require(
                !content.spread().isEmpty() || labels.isEmpty(),
                "%s: the machines have labels, and nothing says in which of them the copies of a"
                        + " pool differ: say --spread %s; or --spread %s, for any two machines.",
                file,
                labels.isEmpty() ? "" : String.join(" or --spread ", labels),
                NO_LABEL);
        return content.spread().equals(NO_LABEL) ? "" : content.spread();
    }

    private static void require(boolean condition, String sentence, Object... arguments) {
        if (!condition) {
            throw FarheapException.wrongUse(sentence, arguments);
        }
    }

    private List<Machine> asked(List<MachinesFile.Entry> entries) {
        return MachineRooms.ask(entries, ReplicationSettings.of(file));
    }

    private List<CataloguedPool> catalogue() throws IOException {
        PoolCatalogue catalogue = PoolCatalogue.of(store).cluster(cluster);
        access.give(catalogue::certificates, catalogue::login);
        return catalogue.look();
    }

    private int placeNew(List<String> pools, PlacementRules rules, List<Machine> machines) {
        List<NewPool> placed = NewPool.place(pools, machines, rules);
        if (output.isJson()) {
            new PlaceJson(output, rules).printNew(placed);
        } else {
            new PlaceText(output, rules).printNew(placed);
        }
        return 0;
    }

    private int move(
            List<CataloguedPool> catalogue,
            Set<String> pools,
            PlacementRules rules,
            List<Machine> machines) {
        String usual = PoolInStore.USUAL_CLUSTER;
        String named = "--store " + store + (cluster.equals(usual) ? "" : " --cluster " + cluster);
        List<PoolMove> moves = MovePlan.of(catalogue, pools, machines, rules, named);
        Map<String, String> leftOut = MovePlan.leftOut(machines, rules);
        if (output.isJson()) {
            new PlaceJson(output, rules).printMoves(moves, leftOut);
        } else {
            new PlaceText(output, rules).printMoves(moves, leftOut);
        }
        return moves.stream().allMatch(PoolMove::isInPlace) ? 0 : StatusCommand.NOT_CURRENT;
    }
}
