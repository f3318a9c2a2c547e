package io.farheap.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ObjectPool;
import io.farheap.PoolOptions;
import io.farheap.base.FarheapException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a program says of a pool's replicas reaches them, and no environment is touched. */
class ProgramSettingsTest {
    @TempDir Path directory;
    private Path set;

    @BeforeEach
    void writeSet() throws IOException {
        set =
                Files.writeString(
                        directory.resolve("bank.set"),
                        "PMEMPOOLSET\n8M " + directory + "/part\nREPLICA far bank.set\n");
    }

    @Test
    void theRemoteShellAndTheCommandAreThoseOfTheProgram() throws IOException {
        Path asked = directory.resolve("asked");
        Path shell =
                Files.writeString(
                        directory.resolve("shell"),
                        "#!/bin/sh\necho \"$@\" > " + asked + "\nexit 3\n");
        Files.setPosixFilePermissions(shell, PosixFilePermissions.fromString("rwx------"));
        PoolOptions options =
                PoolOptions.builder()
                        .replication("RPMEM_SSH", shell.toString())
                        .replication("RPMEM_CMD", "an agent")
                        .build();

        assertThatThrownBy(() -> ObjectPool.at(set).layout("bank").options(options).create())
                .isInstanceOf(FarheapException.class)
                .extracting(failure -> ((FarheapException) failure).category())
                .isEqualTo(FarheapException.Category.REPLICA);

        assertThat(asked).content().contains("far an agent");
    }

    @Test
    void aNameThatIsNoSettingIsRefused() {
        PoolOptions options = PoolOptions.builder().replication("FARHEAP_SPAN", "1us").build();

        assertThatThrownBy(() -> ObjectPool.at(set).layout("bank").options(options).create())
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("\"FARHEAP_SPAN\" is no setting of replicas");
    }
}
