package io.farheap.tools.failover;

import io.farheap.agent.service.ServiceAddress;
import io.farheap.availability.CatalogueConnection;
import io.farheap.availability.CataloguedPool;
import io.farheap.availability.PoolCatalogue;
import io.farheap.base.FarheapException;
import io.farheap.tools.report.Output;
import io.farheap.tools.status.StatusCommand;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
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
                    + " line, too. Exit code 0: nothing wants attention; 5: a pool does.",
            "",
            "With --listen it goes on, asks every 2 s and answers HTTP: /v1/pools/POOL/writer says"
                    + " where clients find the writer, /v1/pools/POOL/is-writer is for load"
                    + " balancers. It is a hint, up to 10 s old."
        },
        footer = {
            "",
            "Examples:",
            "  farheap pools etcd:http://e1:2379,http://e2:2379",
            "  farheap pools --degraded etcd:http://e1:2379   # what wants attention",
            "  farheap pools --json etcd:http://e1:2379       # for programs",
            "  farheap pools --listen 127.0.0.1:7891 --node a etcd:http://e1:2379"
        },
        mixinStandardHelpOptions = true)
public final class PoolsCommand implements Callable<Integer> {
    private static final long LOOK_AGAIN_MILLIS = 2000;

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

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            description =
                    "answer HTTP there until the command is ended, for the pools of one cluster:"
                            + " main, or --cluster")
    private String listen;

    @Option(
            names = "--node",
            paramLabel = "NODE",
            description = "with --listen: who is meant where is-writer names no node")
    private String node;

    @Mixin private StoreAccess access;

    @Mixin private Output output;

    @Override
    public Integer call() throws IOException, InterruptedException {
        PoolCatalogue catalogue = PoolCatalogue.of(store);
        access.give(catalogue::certificates, catalogue::login);
        if (listen != null || node != null) {
            return serve(catalogue);
        }
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

    private int serve(PoolCatalogue catalogue) throws InterruptedException {
        if (listen == null) {
            throw FarheapException.wrongUse(
                    "--node is for --listen: say where to answer, such as --listen 127.0.0.1:7891.");
        }
        if (degraded || output.isJson()) {
            throw FarheapException.wrongUse(
                    "--listen goes on and answers HTTP: it takes neither --degraded nor --json.");
        }
        InetSocketAddress address = ServiceAddress.parse(listen);
        catalogue.cluster(cluster == null ? PoolInStore.USUAL_CLUSTER : cluster);
        try (CatalogueConnection connection = catalogue.connect();
                WriterService service = new WriterService(address, System::nanoTime)) {
            output.say("Listening on " + address.getHostString() + " port " + service.port() + ".");
            boolean answers = true;
            while (true) {
                try {
                    service.tell(new WriterAnswers(connection.look(), node == null ? "" : node));
                    if (!answers) {
                        output.say("The store answers again.");
                    }
                    answers = true;
                } catch (FarheapException e) {
                    if (answers) {
                        output.errors().println(e.getMessage());
                        output.errors().flush();
                    }
                    answers = false;
                }
                TimeUnit.MILLISECONDS.sleep(LOOK_AGAIN_MILLIS);
            }
        }
    }
}
