package io.farheap.agent.service;

import io.farheap.base.FarheapException;
import java.net.InetSocketAddress;

/**
 * Where a service listens, as {@code --listen} says: {@code HOST:PORT}, an address of IPv6 in
 * brackets.
 */
public final class ServiceAddress {
    private ServiceAddress() {}

    /**
     * @throws FarheapException WRONG_USE when it is none, or the host is not known
     */
    public static InetSocketAddress parse(String text) {
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? "" : text.substring(0, colon);
        String port = text.substring(colon + 1);
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        if (bracketed) {
            host = host.substring(1, host.length() - 1);
        }
        boolean named = !host.isEmpty() && (bracketed || host.indexOf(':') < 0);
        if (!named || !port.matches("\\d{1,5}") || Integer.parseInt(port) >= 1 << 16) {
            throw FarheapException.wrongUse(
                    "--listen takes HOST:PORT, such as 0.0.0.0:7890 or [::]:7890, not \"%s\".",
                    text);
        }
        InetSocketAddress address = new InetSocketAddress(host, Integer.parseInt(port));
        if (address.isUnresolved()) {
            throw FarheapException.wrongUse("--listen: the host %s is not known.", host);
        }
        return address;
    }
}
