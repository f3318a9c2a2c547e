package io.farheap.model;

/**
 * How much of the world is explored.
 *
 * @param replicas 1 or 2
 * @param degrade the policy: go on without a lost replica; else refuse commits
 * @param raw stores in place before the record is claimed, and users who abort
 * @param live whether every state must have a way to the end
 * @param threads that commit, 1 or 2
 * @param transactions of each thread, 1 or 2
 * @param faults how many of each kind at most, by {@link Fault}
 * @param total how many at most
 */
record Bounds(
        String name,
        int replicas,
        boolean degrade,
        boolean raw,
        boolean live,
        int threads,
        int transactions,
        int[] faults,
        int total) {

    /** What may fail, or be done from outside. */
    enum Fault {
        PROGRAM_CRASH,
        PROGRAM_POWER,
        AGENT_CRASH,
        TARGET_POWER,
        CONNECTION,
        PROMOTION,
        FOREIGN_OPEN,
        UNREACHABLE,
        SECOND_INITIATOR,
        FAILBACK,
        MAP_FAILS
    }

    /** Words: a number before a fault's name; "2 replicas", "degrade", "raw", "live"... */
    static Bounds of(String name, String text) {
        int replicas = 1;
        int threads = 2;
        int transactions = 1;
        int total = 0;
        int[] faults = new int[Fault.values().length];
        int number = 0;
        boolean degrade = false;
        boolean raw = false;
        boolean live = false;
        for (String word : text.split("[ ,]+")) {
            switch (word) {
                case "degrade" -> degrade = true;
                case "raw" -> raw = true;
                case "live" -> live = true;
                case "replicas" -> replicas = number;
                case "thread" -> threads = number;
                case "transactions" -> transactions = number;
                case "faults" -> total = number;
                default -> {
                    if (Character.isDigit(word.charAt(0))) {
                        number = Integer.parseInt(word);
                    } else {
                        faults[fault(word).ordinal()] = number;
                    }
                }
            }
        }
        return new Bounds(name, replicas, degrade, raw, live, threads, transactions, faults, total);
    }

    private static Fault fault(String word) {
        return Fault.valueOf(word.replace('-', '_').toUpperCase(java.util.Locale.ROOT));
    }

    int most(Fault fault) {
        return faults[fault.ordinal()];
    }

    /** The replicas as bits. */
    int all() {
        return (1 << replicas) - 1;
    }
}
