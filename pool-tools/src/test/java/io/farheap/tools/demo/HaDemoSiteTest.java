package io.farheap.tools.demo;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HaDemoSiteTest {
    @TempDir private Path place;

    @Test
    void saysHowToGetEtcdWhereItIsMissing() {
        assertThatThrownBy(() -> HaDemoSite.requireEtcd("/nowhere:" + place))
                .hasMessageContaining("etcd is not installed")
                .hasMessageContaining("apt-get install etcd-server");
    }

    @Test
    void findsEtcdOnThePath() throws IOException {
        Path etcd = Files.createFile(place.resolve("etcd"));
        Files.setPosixFilePermissions(etcd, PosixFilePermissions.fromString("rwx------"));
        assertThatCode(() -> HaDemoSite.requireEtcd("/nowhere:" + place))
                .doesNotThrowAnyException();
    }
}
