package io.farheap.replication.fabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.WaitStrategy;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.time.Duration;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** The door to RDMA on machines that lack something of it. */
class VerbsFabricsTest {
    private static final byte[] SECRET = new byte[Fabric.SECRET_BYTES];

    @Test
    void withoutTheNativeHalfOneSentenceSaysWhatIsMissing() {
        ClassLoader product = getClass().getClassLoader();
        ClassLoader withoutLibrary =
                new ClassLoader(product) {
                    @Override
                    public InputStream getResourceAsStream(String name) {
                        return name.startsWith("META-INF/native/")
                                ? null
                                : product.getResourceAsStream(name);
                    }

                    @Override
                    public URL getResource(String name) {
                        return product.getResource(name);
                    }
                };
        DisniLoader loader = new DisniLoader(withoutLibrary);
        for (int attempt = 1; attempt <= 2; attempt++) { // the second says the same
            assertThatThrownBy(() -> VerbsFabrics.open(WaitStrategy.BLOCKING, loader))
                    .isInstanceOfSatisfying(
                            FarheapException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.ENVIRONMENT))
                    .hasMessageStartingWith("RDMA can't be used in this process: ")
                    .hasMessageContaining("native half")
                    .hasMessageContaining("libibverbs1");
        }
    }

    @Test
    void everyLackHasARemedy() {
        assertThat(DisniLoader.remedy(new ClassNotFoundException("com.ibm.disni.X")))
                .contains("com.ibm.disni:disni");
        assertThat(DisniLoader.remedy(new IllegalAccessError("class X cannot access sun.nio.ch.Y")))
                .contains("--add-exports=java.base/sun.nio.ch=ALL-UNNAMED");
        assertThat(DisniLoader.remedy(new UnsatisfiedLinkError("no disni in java.library.path")))
                .contains("librdmacm1");
        assertThat(DisniLoader.remedy(new IllegalStateException("odd"))).isEqualTo("odd");
    }

    /** With the library from the jar, on the loopback address, which no RDMA device has. */
    @Test
    void withoutADeviceEveryEndSaysSo() {
        NativeHalfTest.require();
        boolean carried =
                getClass().getClassLoader().getResource(DisniLoader.carriedLibrary()) != null;
        if (System.getenv("CI") != null) {
            assertThat(carried).as("CI must build the native half").isTrue();
        }
        Assumptions.assumeTrue(carried, "built without the native half");
        Fabric fabric = VerbsFabrics.open(WaitStrategy.BLOCKING);
        InetAddress loopback = InetAddress.getLoopbackAddress();
        assertThatThrownBy(() -> fabric.listen(loopback, 0, SECRET, Arena.ofAuto().allocate(4096)))
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(Category.ENVIRONMENT))
                .hasMessageContaining("can't listen for RDMA connections on 127.0.0.1");
        assertThatThrownBy(
                        () ->
                                fabric.connect(
                                        new InetSocketAddress(loopback, 7),
                                        SECRET,
                                        Arena.ofAuto().allocate(4096),
                                        Duration.ofSeconds(10)))
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(Category.REPLICA))
                .hasMessageContaining("no data connection with");
    }
}
