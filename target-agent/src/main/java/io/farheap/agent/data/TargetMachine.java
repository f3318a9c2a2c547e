package io.farheap.agent.data;

import io.farheap.agent.config.AgentConfiguration;
import io.farheap.agent.journal.JournalDevices;
import io.farheap.memory.DeviceDax;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.fabric.verbs.RdmaDevices;
import io.farheap.replication.fabric.verbs.VerbsFabrics;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** What the agent's machine has for data connections; looked at anew each time it is asked. */
public final class TargetMachine {
    private static final TargetMachine HERE =
            new TargetMachine(Path.of("/sys"), null, null, DeviceDax::map);

    private final Path sysfs;
    private final Function<String, List<InetAddress>> addresses;
    private final Function<WaitStrategy, Fabric> verbs;
    private final JournalDevices.Mapper mapper;

    /**
     * Another machine than this one, for tests.
     *
     * @param sysfs the folder where sysfs is mounted
     * @param addresses of a network interface, by its name
     * @param verbs makes the fabric over verbs; throws where it can't be used
     * @param mapper maps what sysfs calls a device DAX
     */
    public TargetMachine(
            Path sysfs,
            Function<String, List<InetAddress>> addresses,
            Function<WaitStrategy, Fabric> verbs,
            JournalDevices.Mapper mapper) {
        this.sysfs = sysfs;
        this.addresses = addresses;
        this.verbs = verbs;
        this.mapper = mapper;
    }

    /** This machine. */
    public static TargetMachine here() {
        return HERE;
    }

    RdmaDevices devices() {
        return addresses == null ? RdmaDevices.here() : RdmaDevices.in(sysfs, addresses);
    }

    /**
     * @throws io.farheap.base.FarheapException category ENVIRONMENT when it can't be used
     */
    Fabric verbs(WaitStrategy wait) {
        return verbs == null ? VerbsFabrics.open(wait) : verbs.apply(wait);
    }

    /**
     * Where journals may be made here.
     *
     * @param told why one is not on a device that is named for it
     */
    public JournalDevices journalDevices(AgentConfiguration configuration, Consumer<String> told) {
        return new JournalDevices(
                configuration.journalDevices(),
                !configuration.persistGeneral(),
                sysfs.resolve("dev/char"),
                mapper,
                told);
    }

    /** What the platform says of the memory under a file. */
    PersistentRegion regionOf(Path file) {
        return PersistentRegion.of(sysfs, file);
    }
}
