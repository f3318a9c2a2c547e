package io.farheap.agent.journal;

import io.farheap.agent.base.Refusal;
import io.farheap.base.FarheapException;
import io.farheap.memory.DeviceDax;
import io.farheap.memory.MappedImage;
import io.farheap.memory.NativeFile;
import io.farheap.poolset.DaxDevice;
import io.farheap.replication.control.Reply.Code;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** The devices that an agent may make journals on. */
public final class JournalDevices {
    /** This machine's, of which none is named. */
    public static final JournalDevices NONE =
            new JournalDevices(
                    List.of(), false, DaxDevice.CHARACTER_DEVICES, DeviceDax::map, why -> {});

    /** Maps the beginning of a device. */
    public interface Mapper {
        /**
         * @param device open; it stays the caller's
         * @param length bytes from the beginning on
         * @param alignment of addresses and lengths that the device maps
         */
        MappedImage map(NativeFile device, long length, long alignment);
    }

    private final List<Path> named;
    private final boolean required;
    private final Path characterDevices;
    private final Mapper mapper;
    private final Consumer<String> told;

    /**
     * @param named by the operator, in the order in which they are tried
     * @param required whether a journal may be nowhere else
     * @param characterDevices where sysfs has them
     * @param told why a journal that is made is on none of them
     */
    public JournalDevices(
            List<Path> named,
            boolean required,
            Path characterDevices,
            Mapper mapper,
            Consumer<String> told) {
        this.named = named;
        this.required = required;
        this.characterDevices = characterDevices;
        this.mapper = mapper;
        this.told = told;
    }

    /** Those that the operator named, in the order in which they are tried. */
    public List<Path> named() {
        return named;
    }

    /** The device that a path leads to; empty where it leads to something else, or nowhere. */
    Optional<DaxDevice> at(Path path) {
        try {
            return DaxDevice.at(characterDevices, path);
        } catch (IOException e) {
            return Optional.empty(); // who opens the path says what is wrong with it
        }
    }

    /**
     * The first device that can have a journal, mapped; one that is the owner's already goes first.
     * It is locked.
     *
     * @param owner by what path the journal will be found
     * @param bytes of the journal
     * @return empty where there is none, after telling why
     * @throws Refusal when it may be nowhere else
     */
    Optional<JournalMemory> find(String owner, long bytes) {
        return search(owner, bytes, JournalDevice::lock);
    }

    /** The same for who does not take it. */
    public Optional<JournalMemory> look(String owner, long bytes) {
        return search(owner, bytes, device -> device);
    }

    private Optional<JournalMemory> search(
            String owner, long bytes, UnaryOperator<JournalDevice> lock) {
        List<String> obstacles = new ArrayList<>();
        for (Optional<String> wanted : List.of(Optional.of(owner), Optional.<String>empty())) {
            obstacles.clear();
            for (Path path : named) {
                try {
                    JournalDevice device = lock.apply(open(path));
                    if (isUsable(device, wanted, bytes, obstacles)) {
                        return Optional.of(map(device));
                    }
                } catch (FarheapException e) {
                    obstacles.add(e.getMessage());
                }
            }
        }
        if (!obstacles.isEmpty()) {
            tell(obstacles);
        }
        return Optional.empty();
    }

    /** Closes those that are not. */
    private static boolean isUsable(
            JournalDevice device, Optional<String> wanted, long bytes, List<String> obstacles) {
        boolean usable = false;
        try {
            Optional<String> owner = device.owner();
            if (!owner.equals(wanted)) {
                owner.ifPresent(
                        it -> obstacles.add(device.file().path() + " has " + journalOf(it)));
            } else if (device.size() < bytes) {
                obstacles.add(tooSmall(device, bytes));
            } else {
                usable = true;
            }
        } finally {
            if (!usable) {
                device.close();
            }
        }
        return usable;
    }

    private static String journalOf(String owner) {
        return "the journal " + owner + (Files.exists(Path.of(owner)) ? "" : ", which is gone");
    }

    private static String tooSmall(JournalDevice device, long bytes) {
        return device.file().path()
                + " has "
                + device.size()
                + " bytes, and a journal of this journal-size "
                + bytes;
    }

    private void tell(List<String> obstacles) {
        String why = obstacles.stream().collect(Collectors.joining("; "));
        if (required) {
            throw new Refusal(
                    Code.OTHER,
                    "The target can make no journal on a device: " + why + ".",
                    "Name another in journal-devices on the target, or set persist-general = yes"
                            + " there.");
        }
        told.accept("The journal is made beside the replica's first part: " + why);
    }

    /**
     * @throws FarheapException category ENVIRONMENT when it can't be opened, or is something else
     */
    JournalDevice open(Path path) {
        if (!Files.exists(path)) {
            throw FarheapException.environment(
                    "%s is not there: its driver is not loaded (device_dax), or its"
                            + " namespace is not of mode devdax (ndctl list)",
                    path);
        }
        return JournalDevice.open(
                at(path).orElseThrow(
                                () ->
                                        FarheapException.environment(
                                                "%s is no device DAX (those are /dev/daxX.Y: ndctl list)",
                                                path)));
    }

    /**
     * For loads and stores. The device is closed with it, or when it can't be.
     *
     * @throws FarheapException category ENVIRONMENT when that can't be
     */
    JournalMemory map(JournalDevice device) {
        try {
            return new JournalMemory(
                    device.file(),
                    mapper.map(device.file(), device.mappedBytes(), device.alignment()));
        } catch (FarheapException e) {
            device.close();
            throw e;
        }
    }

    /** How a device is, for a person. */
    public String describe(Path path) {
        try (JournalDevice device = open(path)) {
            String size = (device.size() >> 20) + " MiB, ";
            return size + device.owner().map(it -> "has " + journalOf(it)).orElse("free");
        } catch (FarheapException e) {
            return "can't be used: " + e.getMessage();
        }
    }
}
