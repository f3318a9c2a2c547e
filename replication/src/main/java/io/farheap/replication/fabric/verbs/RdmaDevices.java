package io.farheap.replication.fabric.verbs;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The RDMA devices of a machine, as the kernel shows them in sysfs. */
public final class RdmaDevices {
    private static final String ACTIVE = "ACTIVE";

    private final List<Device> devices;

    /**
     * One device.
     *
     * @param name of the kernel's, such as {@code mlx5_0}
     * @param active whether one of its ports is up
     * @param interfaces network interfaces that lead to it
     * @param addresses of these, of IPv4: DiSNI knows no others
     */
    public record Device(
            String name, boolean active, Set<String> interfaces, List<InetAddress> addresses) {
        @Override
        public String toString() {
            String where =
                    addresses.isEmpty()
                            ? "no address"
                            : addresses.stream()
                                    .map(InetAddress::getHostAddress)
                                    .collect(Collectors.joining(", "));
            return name + " (" + where + (active ? "" : ", down") + ")";
        }
    }

    private RdmaDevices(List<Device> devices) {
        this.devices = devices;
    }

    /**
     * @param sysfs the folder where sysfs is mounted
     * @param addresses of a network interface, by its name
     */
    public static RdmaDevices in(Path sysfs, Function<String, List<InetAddress>> addresses) {
        List<Device> found = new ArrayList<>();
        for (Path device : entries(sysfs.resolve("class/infiniband"))) {
            found.add(device(device, addresses));
        }
        return new RdmaDevices(found);
    }

    /** Those of this machine. */
    public static RdmaDevices here() {
        return in(Path.of("/sys"), RdmaDevices::addressesOf);
    }

    private static Device device(Path device, Function<String, List<InetAddress>> addressesOf) {
        Set<String> interfaces = new TreeSet<>();
        boolean active = false;
        for (Path port : entries(device.resolve("ports"))) {
            active |= line(port.resolve("state")).contains(ACTIVE);
            for (Path index : entries(port.resolve("gid_attrs/ndevs"))) {
                interfaces.add(line(index));
            }
        }
        interfaces.add(line(device.resolve("parent"))); // of one in software
        for (Path network : entries(device.resolve("device/net"))) {
            interfaces.add(network.getFileName().toString());
        }
        interfaces.remove("");
        List<InetAddress> addresses = new ArrayList<>();
        for (String name : interfaces) {
            for (InetAddress address : addressesOf.apply(name)) {
                if (address instanceof Inet4Address) {
                    addresses.add(address);
                }
            }
        }
        return new Device(
                device.getFileName().toString(), active, Set.copyOf(interfaces), addresses);
    }

    /** Sorted; none where there is no such folder. */
    private static List<Path> entries(Path folder) {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder)) {
            stream.forEach(found::add);
        } catch (IOException e) {
            return List.of();
        }
        found.sort(null);
        return found;
    }

    /** "" where it can't be read: an index without a device says so that way. */
    private static String line(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            return "";
        }
    }

    private static List<InetAddress> addressesOf(String name) {
        try {
            NetworkInterface found = NetworkInterface.getByName(name);
            return found == null ? List.of() : found.inetAddresses().toList();
        } catch (SocketException e) {
            return List.of();
        }
    }

    public List<Device> all() {
        return List.copyOf(devices);
    }

    /** The device that has this address, the one that is up first. */
    public Optional<Device> having(InetAddress address) {
        List<Device> those =
                devices.stream().filter(each -> each.addresses().contains(address)).toList();
        return those.stream()
                .filter(Device::active)
                .findFirst()
                .or(() -> those.stream().findFirst());
    }

    @Override
    public String toString() {
        return devices.isEmpty()
                ? "none"
                : devices.stream().map(Device::toString).collect(Collectors.joining(", "));
    }
}
