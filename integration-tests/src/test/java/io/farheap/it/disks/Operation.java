package io.farheap.it.disks;

import io.farheap.ObjectPool;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What is done while calls fail.
 *
 * @param files what there is before
 * @param whole the same with a pool that opens
 * @param act arms the trial when it begins
 * @param counts whether it commits, once with each attempt
 * @param commits what each attempt commits
 * @param judge looks at what is left, on disks that work
 */
record Operation(
        String name,
        Map<Path, byte[]> files,
        Map<Path, byte[]> whole,
        Consumer<Trial> act,
        boolean counts,
        Consumer<ObjectPool> commits,
        Judge judge) {

    /** Says what is wrong with what is left. */
    @FunctionalInterface
    interface Judge {
        void judge(DiskFailures site, Trial trial, List<Content> allowed)
                throws InterruptedException, IOException;
    }
}
