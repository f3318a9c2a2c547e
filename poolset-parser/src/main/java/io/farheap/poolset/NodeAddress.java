package io.farheap.poolset;

/** The address on a remote {@code REPLICA} line. */
final class NodeAddress {
    static final String EXPECTED =
            "[user@]host[:port], an IPv6 host in brackets when a port follows";

    private static final int MAX_PORT = 0xFFFF;
    private static final int MAX_PORT_DIGITS = 5;

    private NodeAddress() {}

    /** The replica, or null when {@code node} is no address. */
    static RemoteReplica parse(String node, String descriptor) {
        int at = node.lastIndexOf('@');
        String user = at < 0 ? null : node.substring(0, at);
        String rest = node.substring(at + 1);
        String host;
        String port;
        int lastColon = rest.lastIndexOf(':');
        if (rest.startsWith("[")) {
            int close = rest.indexOf(']');
            if (close < 0) {
                return null;
            }
            host = rest.substring(1, close);
            port = rest.substring(close + 1);
        } else if (lastColon >= 0 && rest.indexOf(':') == lastColon) {
            host = rest.substring(0, lastColon);
            port = rest.substring(lastColon);
        } else {
            host = rest;
            port = "";
        }
        int number = port.isEmpty() ? 0 : port(port);
        return number < 0 || !isName(host) || (user != null && !isName(user))
                ? null
                : new RemoteReplica(user, host, number, descriptor);
    }

    /** The number behind a colon, or -1. */
    private static int port(String text) {
        String digits = text.substring(1);
        boolean number =
                text.charAt(0) == ':'
                        && !digits.isEmpty()
                        && digits.length() <= MAX_PORT_DIGITS
                        && digits.chars().allMatch(c -> c >= '0' && c <= '9');
        int port = number ? Integer.parseInt(digits) : 0;
        return port > 0 && port <= MAX_PORT ? port : -1;
    }

    /** A name that starts with '-' would be an option to ssh. */
    private static boolean isName(String text) {
        return !text.isEmpty()
                && text.charAt(0) != '-'
                && text.chars().noneMatch(c -> c == '[' || c == ']' || c == '@');
    }
}
