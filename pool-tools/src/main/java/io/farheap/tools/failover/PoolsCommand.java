package io.farheap.tools.failover;

import io.farheap.availability.CataloguedPool;
import io.farheap.availability.PoolCatalogue;
import io.farheap.tools.report.Output;
import io.farheap.tools.status.StatusCommand;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code farheap pools}. */
@Command(
        name = "pools",
        description = {
            "Lists the pools under automatic fail-over of which a store has a record.",
            "",
            "A line for each pool: who writes, in which term and since when, the copies that commits"
                    + " wait for of those that there are, orders; below it, what wants attention. It"
                    + " asks the store only, from any machine that reaches it, once for each 500 of"
                    + " its keys, and changes nothing. A record that can't be read is a"
                    + " line, too. Exit code 0: nothing wants attention; 5: a pool does."
        },
        footer = {
            "",
            "Examples:",
            "  farheap pools etcd:http://e1:2379,http://e2:2379",
            "  farheap pools --degraded etcd:http://e1:2379   # what wants attention",
            "  farheap pools --json etcd:http://e1:2379       # for programs"
        },
        mixinStandardHelpOptions = true)
public final class PoolsCommand implements Callable<Integer> {
    @Parameters(
            paramLabel = "STORE",
            description =
                    "etcd:https://e1:2379,https://e2:2379: its endpoints for clients; or"
                            + " zookeeper:z1:2181,z2:2181/farheap, with farheap-zookeeper in ext/")
    private String store;

    @Option(
            names = "--cluster",
            paramLabel = "NAME",
            description = "this cluster's pools only; default: those of all")
    private String cluster;

    @Option(names = "--degraded", description = "show only those that want attention")
    private boolean degraded;

    @Mixin private StoreAccess access;

    @Mixin private Output output;

    @Override
    public Integer call() throws IOException {
        PoolCatalogue catalogue = PoolCatalogue.of(store);
        access.give(catalogue::certificates, catalogue::login);
        if (cluster != null) {
            catalogue.cluster(cluster);
        }
        List<CataloguedPool> all = catalogue.look();
        List<CataloguedPool> concerned =
                all.stream().filter(pool -> !pool.attention().isEmpty()).toList();
        List<CataloguedPool> shown = degraded ? concerned : all;
        if (output.isJson()) {
            PoolsJson.print(output, shown, all.size(), concerned.size());
        } else {
            String where = cluster == null ? "" : " in cluster " + cluster;
            new PoolsTable(output).print(shown, all.size(), concerned.size(), where);
        }
        return concerned.isEmpty() ? 0 : StatusCommand.NOT_CURRENT;
    }
}
