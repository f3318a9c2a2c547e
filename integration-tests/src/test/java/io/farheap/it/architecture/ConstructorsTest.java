package io.farheap.it.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import java.net.SocketAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * No constructor opens a connection, by itself or through what it calls: what may take long or fail
 * is a method, whose caller has an object to close. Sockets that listen are bound in constructors.
 */
@AnalyzeClasses(packages = "io.farheap", importOptions = ImportOption.DoNotIncludeTests.class)
class ConstructorsTest {
    private static final Set<String> CONNECTING =
            Set.of(
                    "java.nio.channels.SocketChannel.connect",
                    "java.net.Socket.connect",
                    "java.net.http.HttpClient.send",
                    "java.net.http.HttpClient.sendAsync",
                    "com.ibm.disni.verbs.RdmaCmId.resolveAddr",
                    "com.ibm.disni.verbs.RdmaCmId.connect",
                    "org.apache.zookeeper.ZooKeeper.<init>");

    @ArchTest
    static void noConstructorConnects(JavaClasses classes) {
        List<JavaCodeUnit> units =
                classes.stream().flatMap(type -> type.getCodeUnits().stream()).toList();
        Set<JavaCodeUnit> connecting = new HashSet<>();
        int before;
        do {
            before = connecting.size();
            units.stream().filter(unit -> connects(unit, connecting)).forEach(connecting::add);
        } while (connecting.size() > before);

        assertThat(connecting).as("methods that do").hasSizeGreaterThan(20);
        assertThat(connecting.stream().filter(JavaConstructor.class::isInstance))
                .extracting(JavaCodeUnit::getFullName)
                .isEmpty();
    }

    /** As far as calls name the class that they reach; not in lambdas, which run later. */
    private static boolean connects(JavaCodeUnit unit, Set<JavaCodeUnit> connecting) {
        return unit.getCallsFromSelf().stream()
                .filter(call -> !call.isDeclaredInLambda())
                .anyMatch(
                        call ->
                                isConnecting(call)
                                        || call.getTarget()
                                                .resolveMember()
                                                .filter(connecting::contains)
                                                .isPresent());
    }

    private static boolean isConnecting(JavaCodeUnitAccess<?> call) {
        String name = call.getTargetOwner().getName() + "." + call.getTarget().getName();
        boolean opens =
                name.equals("java.nio.channels.SocketChannel.open")
                        && call.getTarget().getRawParameterTypes().stream()
                                .anyMatch(type -> type.isEquivalentTo(SocketAddress.class));
        return opens || CONNECTING.contains(name);
    }
}
