package io.farheap.agent.journal;

import io.farheap.agent.base.FileRemoval;
import io.farheap.agent.base.Refusal;
import io.farheap.base.FarheapException;
import io.farheap.memory.MappedImage;
import io.farheap.memory.MappedImage.Access;
import io.farheap.memory.MappedImage.Share;
import io.farheap.memory.NativeFile;
import io.farheap.poolset.DaxDevice;
import io.farheap.replication.control.Reply.Code;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;

/**
 * Where a replica's journal is: a file, or a symbolic link to a device that has it. A device says
 * itself whose journal it has, and no other one's is ever taken for this.
 *
 * @param path beside the replica's first part
 * @param devices where a new one may be
 */
public record JournalPlace(Path path, JournalDevices devices) {
    private static final long PAGE = 4096;

    /** Also where the device that has it is gone. */
    public boolean exists() {
        return Files.exists(path, LinkOption.NOFOLLOW_LINKS);
    }

    /** Whether it can be looked at. */
    public boolean isReadable() {
        return Files.isRegularFile(path) || device().isPresent();
    }

    /** The device that has it. */
    public Optional<DaxDevice> device() {
        return Files.isSymbolicLink(path) ? devices.at(path) : Optional.empty();
    }

    /** By what a device knows it: the same whatever links lead here. */
    public String owner() {
        try {
            Path folder = path.toAbsolutePath().getParent().toRealPath();
            return folder.resolve(path.getFileName()).toString();
        } catch (IOException e) {
            throw FarheapException.environment(e, "cannot look at the folder of %s: %s", path, e);
        }
    }

    /**
     * All of it, or its beginning, read-only.
     *
     * @throws FarheapException where it is on a device, BAD_DATA when that has another's journal,
     *     ENVIRONMENT when it can't be opened
     */
    public MemorySegment read(long mostBytes, Arena arena) throws IOException {
        if (device().isPresent()) {
            try (JournalDevice device = openDevice()) {
                MemorySegment all = device.read(arena);
                Optional<String> owner = JournalDevice.owner(all, path.toString());
                if (owner.isPresent()) { // else it was just given back, or never taken
                    requireOwn(owner);
                }
                return all.asSlice(0, Math.min(mostBytes, all.byteSize()));
            }
        }
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            long bytes = Math.min(mostBytes, channel.size());
            return channel.map(MapMode.READ_ONLY, 0, bytes, arena);
        }
    }

    /** Opens one that exists. */
    public JournalMemory open() {
        boolean leadsNowhere = exists() && !Files.exists(path);
        if (leadsNowhere || device().isPresent()) {
            return openOnDevice();
        }
        NativeFile file = NativeFile.open(path);
        try {
            return new JournalMemory(file, map(file));
        } catch (RuntimeException e) {
            file.close();
            throw e;
        }
    }

    private static MappedImage map(NativeFile file) {
        long size = file.size() & -PAGE;
        if (size == 0) {
            throw new Refusal(Code.DAMAGED, "The journal " + file.path() + " is empty.", "");
        }
        return MappedImage.map(List.of(new Share(file, 0, size)), Access.SHARED);
    }

    /**
     * Makes one of zeros, unfinished, durably: on a device that is named for that and free, else in
     * a file.
     *
     * @throws FarheapException when the system refuses; nothing is left then
     */
    public JournalMemory create(long bytes) {
        Optional<JournalMemory> found = devices.find(owner(), bytes);
        return found.isPresent() ? createOn(found.get(), bytes) : createFile(bytes);
    }

    private JournalMemory createFile(long bytes) {
        NativeFile file = NativeFile.create(path);
        try {
            // The replica's lock keeps others away; after a crash the journal must tell that it is
            // unfinished.
            file.setMode(0600);
            file.allocate(bytes);
            file.sync();
            NativeFile.syncDirectory(path.getParent());
            return new JournalMemory(file, map(file));
        } catch (RuntimeException e) {
            try (file) {
                FileRemoval.delete(path);
            }
            throw e;
        }
    }

    private JournalMemory createOn(JournalMemory device, long bytes) {
        try {
            JournalDevice.take(device.memory(), owner(), bytes);
            link(device);
            NativeFile.syncDirectory(path.getParent());
            return device;
        } catch (RuntimeException e) {
            device.close();
            throw e;
        }
    }

    private void link(JournalMemory device) {
        try {
            Files.createSymbolicLink(path, device.path());
        } catch (IOException e) {
            JournalDevice.giveBack(device.memory());
            throw FarheapException.environment(
                    e, "cannot link %s to %s: %s", path, device.path(), e);
        }
    }

    private JournalMemory openOnDevice() {
        return own(devices.map(openDevice().lock()));
    }

    /**
     * The device that has it, beside whoever uses it.
     *
     * @throws Refusal where that is another's
     */
    public JournalMemory lookOnDevice() {
        return own(devices.map(openDevice()));
    }

    private JournalMemory own(JournalMemory journal) {
        try {
            requireOwn(JournalDevice.owner(journal.memory().image(), path.toString()));
            return journal;
        } catch (RuntimeException e) {
            journal.close();
            throw e;
        }
    }

    /**
     * The device that it leads to, whatever that has.
     *
     * @throws FarheapException category ENVIRONMENT when it can't be opened
     */
    JournalDevice openDevice() {
        try {
            return devices.open(path.toRealPath());
        } catch (IOException e) {
            throw new Refusal(
                    Code.ACCESS,
                    "The device that has the journal " + path + " is not there: " + e.getMessage(),
                    "Load its driver (device_dax) on the target, or make the link lead to where the"
                            + " device is now.",
                    e);
        }
    }

    private void requireOwn(Optional<String> owner) {
        if (!owner.equals(Optional.of(owner()))) {
            throw new Refusal(
                    Code.DAMAGED,
                    "The device that "
                            + path
                            + " leads to has "
                            + owner.map(other -> "the journal " + other).orElse("no journal")
                            + ".",
                    "Devices may have other numbers after a start of the machine: make the link lead"
                            + " to the one that has it (farheap agent --probe tells).");
        }
    }
}
