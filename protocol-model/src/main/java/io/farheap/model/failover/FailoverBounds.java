package io.farheap.model.failover;

import java.util.Locale;

/**
 * How much of the world is explored.
 *
 * @param live whether each copy of the set must be able to take over, and each state have a way to
 *     open admission
 * @param members the first so many nodes begin in the set
 * @param commits how many in all
 * @param most how many of each {@link Chance}
 */
record FailoverBounds(String name, boolean live, int members, int commits, int[] most) {

    /** What happens a limited number of times. */
    enum Chance {
        /** A node takes over. */
        TAKE_OVER,
        /** A writer begins a change of the set that it need not make. */
        CHANGE,
        /** A node crashes and starts again. */
        RESTART,
        /** The store does not answer a writer. */
        NO_ANSWER,
        /** The store is restored from a backup. */
        RESTORED_STORE,
        /** Old files are put in place of a copy. */
        OLD_BACKUP,
        /** A node is lost for good before it has opened. */
        LOST_NODE
    }

    /** Words: a number before a chance's name, "members" or "commits"; "live". */
    static FailoverBounds of(String name, String text) {
        boolean live = false;
        int members = Cluster.NODES;
        int commits = 1;
        int[] most = new int[Chance.values().length];
        int number = 0;
        for (String word : text.split("[ ,]+")) {
            switch (word) {
                case "live" -> live = true;
                case "members" -> members = number;
                case "commits" -> commits = number;
                default -> {
                    if (Character.isDigit(word.charAt(0))) {
                        number = Integer.parseInt(word);
                    } else {
                        String chance = word.replace('-', '_').toUpperCase(Locale.ROOT);
                        most[Chance.valueOf(chance).ordinal()] = number;
                    }
                }
            }
        }
        return new FailoverBounds(name, live, members, commits, most);
    }

    @Override
    public String toString() {
        return name;
    }
}
