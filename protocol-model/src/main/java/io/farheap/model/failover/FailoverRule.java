package io.farheap.model.failover;

/**
 * The rules of docs/high-availability.md that can be taken away, each with bounds in which the
 * model must go wrong without it.
 */
enum FailoverRule {
    RECORD_BEFORE_ACK("1 take-over, 1 change"),
    NO_LEASE_AS_PROOF("1 take-over, 1 change"),
    COMPARE("1 take-over, 1 change"),
    ONLY_MEMBERS("1 take-over, 1 change"),
    NUMBER_CHECK("2 take-over, 1 change, 1 old-backup"),
    FENCE_FIRST("1 take-over"),
    FENCE_DURABLE("live, 2 take-over, 1 change, 1 restart"),
    TERM_IN_HELLO("2 members, 1 take-over, 2 change, 1 restart"),
    ASK_AFTER_START("2 members, 2 take-over, 1 change, 1 restart, 1 old-backup"),
    KNOWN_CAS("1 take-over, 1 change, 1 no-answer"),
    SETTLE_FIRST("live, 1 take-over, 2 change, 1 restart, 1 no-answer"),
    RECORD_BEFORE_OPEN("2 take-over"),
    KEEP_SET("live, 2 take-over, 1 lost-node"),
    JOIN_COMPLETE("2 members, 1 take-over, 1 change"),
    EQUALISE("2 take-over"),
    PREPARE_SELF("live, 1 take-over, 1 change, 1 restart"),
    STORE_WENT_BACK("1 take-over, 1 change, 1 restored-store");

    private final String bounds;

    FailoverRule(String bounds) {
        this.bounds = bounds;
    }

    /** As the page names it. */
    String title() {
        return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }

    FailoverBounds bounds() {
        return FailoverBounds.of(title(), bounds);
    }
}
