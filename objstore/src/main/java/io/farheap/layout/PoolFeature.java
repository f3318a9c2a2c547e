package io.farheap.layout;

/** One of the switches in the feature words, by pmempool's names (docs/format.md#features). */
public enum PoolFeature {
    /** Only part 0 of each replica has a header. */
    SINGLEHDR(FeatureFlags.SINGLEHDR, 0),
    /** The header's checksum covers its first 2048 bytes only. */
    CKSUM_2K(FeatureFlags.CKSUM_2K, 0),
    /** The shutdown state is kept and checked. */
    SHUTDOWN_STATE(FeatureFlags.SHUTDOWN_STATE, 0),
    /** libpmemobj looks for bad blocks of the storage at open. */
    CHECK_BAD_BLOCKS(0, FeatureFlags.CHECK_BAD_BLOCKS);

    private final int incompat;
    private final int compat;

    PoolFeature(int incompat, int compat) {
        this.incompat = incompat;
        this.compat = compat;
    }

    /** Whether it is on. */
    public boolean isOn(FeatureFlags flags) {
        return (flags.incompat() & incompat) != 0 || (flags.compat() & compat) != 0;
    }

    /** The same words with this one on or off. */
    public FeatureFlags switched(FeatureFlags flags, boolean on) {
        return new FeatureFlags(
                on ? flags.compat() | compat : flags.compat() & ~compat,
                on ? flags.incompat() | incompat : flags.incompat() & ~incompat,
                flags.roCompat());
    }
}
