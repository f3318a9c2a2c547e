package io.farheap.model;

import java.util.Arrays;

/** What the outside was told, and in which order commits were claimed: only for judging. */
final class ObservedHistory {
    private static final int MOST = 5;

    /** The image that all committed transactions give. */
    final int[] image = new int[World.WORDS];

    int committed;
    int acknowledged;
    int rolledBack;
    int claims;
    final int[] order = new int[MOST];
    final int[] rolledBackBefore = new int[MOST];
    final int[] committedBefore = new int[MOST];

    /** History was given up on purpose. */
    int givenUp;

    static int bit(int transaction) {
        return 1 << transaction - 1;
    }

    void fields(Bits bits) {
        bits.fields(image, 3);
        committed = bits.field(committed, MOST);
        acknowledged = bits.field(acknowledged, MOST);
        rolledBack = bits.field(rolledBack, MOST);
        claims = bits.field(claims, 3);
        bits.fields(order, 3);
        bits.fields(rolledBackBefore, MOST);
        bits.fields(committedBefore, MOST);
        givenUp = bits.field(givenUp, 1);
    }

    void copy(ObservedHistory other) {
        System.arraycopy(other.image, 0, image, 0, World.WORDS);
        committed = other.committed;
        acknowledged = other.acknowledged;
        rolledBack = other.rolledBack;
        claims = other.claims;
        System.arraycopy(other.order, 0, order, 0, MOST);
        System.arraycopy(other.rolledBackBefore, 0, rolledBackBefore, 0, MOST);
        System.arraycopy(other.committedBefore, 0, committedBefore, 0, MOST);
        givenUp = other.givenUp;
    }

    /** One that claims again in a new epoch keeps what was before its first claim. */
    void claim(int transaction) {
        int before = rolledBack;
        int done = committed;
        int kept = 0;
        for (int i = 0; i < claims; i++) {
            if (order[i] == transaction) {
                before = rolledBackBefore[i];
                done = committedBefore[i];
            } else {
                order[kept] = order[i];
                rolledBackBefore[kept] = rolledBackBefore[i];
                committedBefore[kept++] = committedBefore[i];
            }
        }
        order[kept] = transaction;
        rolledBackBefore[kept] = before;
        committedBefore[kept] = done;
        claims = kept + 1;
    }

    void commit(int transaction) {
        committed |= bit(transaction);
        fold(committed, image);
    }

    /** Claimed and not committed: recovery has undone them. */
    void rollBackUndecided() {
        for (int i = 0; i < claims; i++) {
            if ((committed & bit(order[i])) == 0) {
                rolledBack |= bit(order[i]);
            }
        }
    }

    /** The image that some of the transactions give, in the order of their claims. */
    private void fold(int some, int[] to) {
        Arrays.fill(to, 0);
        for (int i = 0; i < claims; i++) {
            if ((some & bit(order[i])) != 0) {
                World.apply(order[i], to);
            }
        }
    }

    /** What is wrong with a replica that is promoted with this content; null: nothing. */
    String judge(Target target, int content) {
        int[] right = new int[World.WORDS];
        fold(content, right);
        if (!Arrays.equals(right, target.stored)) {
            return "a promoted replica's image is no commit boundary";
        }
        if ((target.acknowledged & ~content) != 0) {
            return "an acknowledged commit is missing on the promoted replica";
        }
        for (int i = 0; i < claims; i++) {
            if ((content & bit(order[i])) != 0) {
                if ((rolledBackBefore[i] & content) != 0) {
                    return "a replica has a rolled-back commit and one that came after it";
                }
                if ((committedBefore[i] & ~content) != 0) {
                    return "a promoted replica lacks what came before what it has";
                }
            }
        }
        return null;
    }
}
