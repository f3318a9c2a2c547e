package io.farheap.replication.fabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.FabricContract;
import io.farheap.replication.fabric.WaitStrategy;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import jdk.nio.mapmode.ExtendedMapMode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * On a machine with an RDMA device: the property {@code rdma.address} tells its address, {@code
 * rdma.dax} a folder of a DAX file system.
 */
@Tag("rdma")
class VerbsFabricTest extends FabricContract {
    @Override
    protected Fabric newFabric() {
        return VerbsFabrics.open(WaitStrategy.DEFAULT);
    }

    @Override
    protected InetAddress machine() {
        return rdmaAddress();
    }

    static InetAddress rdmaAddress() {
        try {
            return InetAddress.getByName(System.getProperty("rdma.address"));
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    /** No kernel pins it, so nobody could write there: to be said before anybody tries. */
    @Test
    void aFileOnDaxIsRefusedAtOnce() throws IOException {
        Path file = Path.of(System.getProperty("rdma.dax"), "region");
        try (Arena arena = Arena.ofShared();
                FileChannel channel =
                        FileChannel.open(
                                file,
                                StandardOpenOption.CREATE,
                                StandardOpenOption.READ,
                                StandardOpenOption.WRITE)) {
            MemorySegment mapped = channel.map(ExtendedMapMode.READ_WRITE_SYNC, 0, REGION, arena);
            assertThatThrownBy(() -> fabric.listen(machine(), 0, SECRET, mapped))
                    .isInstanceOfSatisfying(
                            FarheapException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.ENVIRONMENT))
                    .hasMessageContaining("can't be registered")
                    .hasMessageContaining("DAX");
        } finally {
            Files.deleteIfExists(file);
        }
    }
}
