package io.farheap.availability;

import io.farheap.agent.Promotion;

/** This node's copy, of a pool whose record a person repairs. */
interface RepairedCopy {
    /** What it holds; changes nothing. */
    SeenCopy look(String node);

    /** What the node has seen of the store; nothing is written by this. */
    SeenStamps stamps();

    /** From now on it listens to no writer of a lower term; cut anywhere, it is done again. */
    void fence(String node, long term, long number);

    /** That of a poolset file. */
    static RepairedCopy of(Promotion copy) {
        return new RepairedCopy() {
            @Override
            public SeenCopy look(String node) {
                TermFile file = TermFile.beside(copy.firstPart());
                SeenCopy seen = SeenCopy.of(node, copy.look());
                boolean neverReplica = seen.number() == 0 && !copy.hasJournal();
                SeenCopy known =
                        neverReplica && copy.number() != 0 && seen.kind() == SeenCopy.Kind.UNKNOWN
                                ? seen.withNumber(copy.number())
                                : seen;
                return known.withKept(file.term(), file.nextOf(known.number()));
            }

            @Override
            public SeenStamps stamps() {
                return new WaitingStamps(copy.firstPart());
            }

            @Override
            public void fence(String node, long term, long number) {
                if (copy.hasJournal()) {
                    var unused = copy.takeOverIfFree(node, term, number);
                }
            }
        };
    }
}
