package io.farheap.agent.data;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A folder that looks as sysfs does on a machine with RDMA devices and persistent memory. */
public final class FakeSysfs {
    public final Path root;
    private final Map<String, List<InetAddress>> addresses = new HashMap<>();

    public FakeSysfs(Path root) {
        this.root = root;
    }

    /** A device in software, on a network interface that has this address. */
    public FakeSysfs device(String name, String networkInterface, String address, boolean active) {
        write("class/infiniband/" + name + "/ports/1/state", active ? "4: ACTIVE" : "1: DOWN");
        write("class/infiniband/" + name + "/ports/1/gid_attrs/ndevs/0", networkInterface);
        addresses.put(networkInterface, List.of(address(address)));
        return this;
    }

    /** The block device of a file's file system is on a region of persistent memory. */
    FakeSysfs region(Path file, String domain) {
        try {
            long device = (Long) Files.getAttribute(file, "unix:dev");
            Path block = root.resolve("devices/ndbus0/region0/namespace0.0/block/pmem0");
            Files.createDirectories(block);
            write("devices/ndbus0/region0/persistence_domain", domain);
            Files.createDirectories(root.resolve("dev/block"));
            Files.createSymbolicLink(
                    root.resolve("dev/block/" + numbers(device)), block.toAbsolutePath());
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** As the C library takes them apart. */
    private static String numbers(long device) {
        long major = (device >> 8 & 0xfff) | (device >> 32 & 0xfffff000L);
        long minor = (device & 0xff) | (device >> 12 & 0xffffff00L);
        return major + ":" + minor;
    }

    public List<InetAddress> addressesOf(String networkInterface) {
        return addresses.getOrDefault(networkInterface, List.of());
    }

    static InetAddress address(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void write(String file, String line) {
        try {
            Path path = root.resolve(file);
            Files.createDirectories(path.getParent());
            Files.writeString(path, line + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
