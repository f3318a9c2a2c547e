package io.farheap.model.failover;

import java.util.List;

/** Bounds in which nothing may go wrong. */
final class FailoverScenarios {
    private FailoverScenarios() {}

    /** Up to a hundred and fifty thousand states each. */
    static final List<FailoverBounds> SMALL =
            List.of(
                    FailoverBounds.of("shrinks", "live, 1 take-over, 2 change"),
                    FailoverBounds.of("join", "live, 2 members, 1 take-over, 1 change"),
                    FailoverBounds.of(
                            "join-restart", "2 members, 1 take-over, 1 change, 1 restart"),
                    FailoverBounds.of("no-answer", "live, 1 take-over, 1 change, 1 no-answer"),
                    FailoverBounds.of(
                            "old-backup",
                            "2 members, 1 take-over, 1 change, 1 restart, 1 old-backup"),
                    FailoverBounds.of("restart", "live, 1 take-over, 1 change, 1 restart"),
                    FailoverBounds.of("take-overs", "live, 2 take-over, 1 lost-node"),
                    FailoverBounds.of("store-restored", "1 take-over, 1 change, 1 restored-store"));

    /** Up to a million. */
    static final List<FailoverBounds> LARGE =
            List.of(
                    FailoverBounds.of("two-take-overs", "live, 2 take-over, 1 change"),
                    FailoverBounds.of("three-commits", "2 take-over, 3 commits"),
                    FailoverBounds.of("restarts", "live, 2 take-over, 1 restart"),
                    FailoverBounds.of(
                            "restart-and-change",
                            "live, 1 take-over, 1 change, 1 restart, 2 commits"),
                    FailoverBounds.of(
                            "no-answer-and-restart",
                            "live, 1 take-over, 1 change, 1 no-answer, 1 restart"),
                    FailoverBounds.of("no-answer-twice", "live, 2 take-over, 2 no-answer"),
                    FailoverBounds.of("join-take-overs", "live, 2 members, 2 take-over, 1 change"),
                    FailoverBounds.of("alone", "live, 1 members, 2 take-over, 1 change, 1 restart"),
                    FailoverBounds.of("lost-for-good", "live, 2 take-over, 1 lost-node, 1 restart"),
                    FailoverBounds.of(
                            "store-restored-twice", "2 take-over, 1 change, 1 restored-store"));
}
