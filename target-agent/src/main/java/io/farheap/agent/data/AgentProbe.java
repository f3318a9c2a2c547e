package io.farheap.agent.data;

import io.farheap.agent.base.PoolsetDirectory;
import io.farheap.agent.base.Refusal;
import io.farheap.agent.config.AgentConfiguration;
import io.farheap.agent.config.ConfigurationValues;
import io.farheap.agent.journal.JournalDevices;
import io.farheap.agent.journal.JournalMemory;
import io.farheap.agent.replica.ReplicaPaths;
import io.farheap.base.FarheapException;
import io.farheap.base.PersistenceDomain;
import io.farheap.memory.MappedImage;
import io.farheap.memory.MappedImage.Access;
import io.farheap.memory.MappedImage.Share;
import io.farheap.memory.NativeFile;
import io.farheap.poolset.Part;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.FabricKind;
import io.farheap.replication.journal.JournalLayout;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;

/**
 * Tells how data connections to this machine would be made, and how commits would become durable:
 * what a session finds out for itself, found out the same way. Of a replica's files it looks at
 * their folders, each through a small file made there and removed again.
 */
public final class AgentProbe {
    private static final long FILE_BYTES = 64 << 10;
    private static final long PAGE = 4096;

    private final AgentConfiguration configuration;
    private final TargetMachine machine;
    private final StringBuilder said = new StringBuilder();

    /** Of a machine, as a session with this configuration would find it. */
    public AgentProbe(AgentConfiguration configuration, TargetMachine machine) {
        this.configuration = configuration;
        this.machine = machine;
    }

    /**
     * @param poolset whose replica is meant; "": any in the poolset directory itself
     * @return lines of text
     * @throws Refusal when there is no such poolset
     */
    public String tell(String poolset) {
        JournalDevices devices = machine.journalDevices(configuration, why -> {});
        ReplicaPaths paths =
                poolset.isEmpty() ? null : ReplicaPaths.of(directory(), poolset, devices);
        List<Path> folders = folders(paths);
        say("RDMA devices", machine.devices().toString());
        InetAddress address = DataAddress.forVerbs(configuration, false, Caller.BY_SHELL);
        say("address", address.getHostAddress());
        say("platform", ConfigurationValues.textOf(configuration.platform()) + ", as declared");
        Path journal = folders.get(0);
        for (Path folder : folders) {
            String what = folder.equals(journal) ? "journal and files in " : "files in ";
            say(what + folder, inFile(folder, this::medium));
        }
        for (Path device : devices.named()) {
            say("device " + device, devices.describe(device) + onRegion(device));
        }
        FabricChoice choice = choice(address);
        if (choice != null) {
            BiFunction<Path, MappedImage, String> look =
                    (file, image) -> durability(choice, address, file, image);
            say("journal", journal(devices, paths, look).orElseGet(() -> inFile(journal, look)));
        }
        return said.toString();
    }

    /** What can be told of the device that has the replica's journal, or would get it. */
    private Optional<String> journal(
            JournalDevices devices,
            ReplicaPaths paths,
            BiFunction<Path, MappedImage, String> look) {
        try {
            Optional<JournalMemory> found = Optional.empty();
            if (paths == null || !paths.journal().exists()) {
                long ring = configuration.journalBytes() & -JournalLayout.CAPACITY_UNIT;
                String owner = paths == null ? "" : paths.journal().owner();
                found = devices.look(owner, JournalLayout.fileBytes(ring));
            } else if (Files.isSymbolicLink(paths.journal().path())) {
                found = Optional.of(paths.journal().lookOnDevice());
            }
            return found.map(device -> onDevice(device, look));
        } catch (Refusal e) {
            return Optional.of("none: " + e.whole().getMessage());
        } catch (FarheapException e) {
            return Optional.of("can't be told: " + e.getMessage());
        }
    }

    /** Nothing is stored there. */
    private static String onDevice(
            JournalMemory device, BiFunction<Path, MappedImage, String> look) {
        try (device) {
            return look.apply(device.path(), device.image()) + "; it is on " + device.path();
        }
    }

    private String onRegion(Path device) {
        return Files.exists(device) ? ", on " + machine.regionOf(device) : "";
    }

    private PoolsetDirectory directory() {
        return new PoolsetDirectory(configuration.poolsetDirectory());
    }

    private void say(String what, String text) {
        said.append(what).append(": ").append(text).append('\n');
    }

    /** The journal's comes first. */
    private List<Path> folders(ReplicaPaths paths) {
        Set<Path> folders = new LinkedHashSet<>();
        if (paths == null) {
            folders.add(configuration.poolsetDirectory());
        } else {
            for (Part part : paths.parts()) {
                folders.add(part.path().toAbsolutePath().getParent());
            }
        }
        return List.copyOf(folders);
    }

    private FabricChoice choice(InetAddress address) {
        List<FabricKind> all = List.of(FabricKind.VERBS, FabricKind.TCP);
        try {
            FabricChoice choice = FabricChoice.of(configuration, all, false, address, machine);
            say("fabric", choice.kind() + ", as " + choice.reason());
            return choice;
        } catch (Refusal e) {
            say("fabric", "none: " + e.whole().getMessage());
            return null;
        }
    }

    private String medium(Path file, MappedImage image) {
        return image.domain() + ", on " + machine.regionOf(file);
    }

    private String durability(
            FabricChoice choice, InetAddress address, Path file, MappedImage image) {
        List<String> sentences = new ArrayList<>();
        boolean inPlace = true;
        if (choice.kind() == FabricKind.VERBS) {
            // as much as a session registers: the system may allow less
            long ring = configuration.journalBytes() & -JournalLayout.CAPACITY_UNIT;
            try (Arena arena = Arena.ofConfined()) {
                RingPlace place =
                        RingPlace.overVerbs(
                                machine.verbs(configuration.waiting()),
                                address,
                                new byte[Fabric.SECRET_BYTES],
                                image.domain(),
                                image.segment()
                                        .asSlice(0, Math.min(ring, image.segment().byteSize())),
                                () -> arena.allocate(ring, PAGE),
                                MemorySegment.NULL);
                place.listener().close();
                inPlace = place.inPlace();
                sentences.add(place.describe());
            } catch (FarheapException e) {
                return "not over verbs: " + e.getMessage();
            }
        }
        PersistenceDomain domain = image.domain();
        PersistentRegion region = machine.regionOf(file);
        try {
            DurabilityChoice durability =
                    DurabilityChoice.of(configuration, choice.kind(), domain, inPlace, region);
            sentences.add(0, durability.method() + ", as " + durability.reason());
        } catch (Refusal e) {
            return "none: " + e.whole().getMessage();
        }
        if (!configuration.persistApm()) {
            String obstacle =
                    DurabilityChoice.obstacle(
                            configuration, choice.kind(), domain, inPlace, region);
            sentences.add(
                    "not APM (persist-apm = no)"
                            + (obstacle.isEmpty() ? ", which could be" : ", and " + obstacle));
        }
        return String.join("; ", sentences);
    }

    /** What can be told of a file there. */
    private static String inFile(Path folder, BiFunction<Path, MappedImage, String> look) {
        Path path = folder.resolve(".farheap-probe-" + ProcessHandle.current().pid());
        try (NativeFile file = NativeFile.create(path)) {
            try {
                file.allocate(FILE_BYTES);
                try (MappedImage image =
                        MappedImage.map(List.of(new Share(file, 0, FILE_BYTES)), Access.SHARED)) {
                    return look.apply(path, image);
                }
            } finally {
                Files.delete(path);
            }
        } catch (FarheapException e) {
            return "can't be told: " + e.getMessage();
        } catch (IOException e) {
            return "can't be told: " + e;
        }
    }
}
