package io.farheap.tools;

import org.junit.jupiter.api.Tag;

/** {@link LiveBackupTest}, long enough to meet rare moments. */
@Tag("deep")
class ManyLiveBackupsTest extends LiveBackupTest {
    @Override
    int backups() {
        return 20;
    }

    @Override
    int kills() {
        return 8;
    }
}
