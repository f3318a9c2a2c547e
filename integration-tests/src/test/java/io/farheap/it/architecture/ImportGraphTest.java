package io.farheap.it.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;

/** The import graph is the picture in the architecture: no arrow goes up. */
@AnalyzeClasses(packages = "io.farheap", importOptions = ImportOption.DoNotIncludeTests.class)
class ImportGraphTest {
    private static final String[] OBJSTORE = {
        "io.farheap",
        "io.farheap.base..",
        "io.farheap.pmemobj..",
        "io.farheap.layout..",
        "io.farheap.live..",
        "io.farheap.memory..",
        "io.farheap.pool..",
        "io.farheap.readers..",
        "io.farheap.ulog..",
        "io.farheap.heap..",
        "io.farheap.lock..",
        "io.farheap.engine..",
        "io.farheap.list..",
        "io.farheap.check..",
        "io.farheap.spi.."
    };

    /** Each package is one, those above others, too. */
    private static final SliceAssignment PACKAGES =
            new SliceAssignment() {
                @Override
                public SliceIdentifier getIdentifierOf(JavaClass type) {
                    return SliceIdentifier.of(type.getPackageName());
                }

                @Override
                public String getDescription() {
                    return "packages";
                }
            };

    @ArchTest
    static final ArchRule modules =
            layeredArchitecture()
                    .consideringOnlyDependenciesInLayers()
                    .ensureAllClassesAreContainedInArchitectureIgnoring("io.farheap.it..")
                    .layer("poolset-parser")
                    .definedBy("io.farheap.poolset..")
                    .layer("objstore")
                    .definedBy(OBJSTORE)
                    .layer("testing")
                    .definedBy("io.farheap.testing..")
                    .layer("objects")
                    .definedBy("io.farheap.objects..")
                    .layer("metrics")
                    .definedBy("io.farheap.metrics..")
                    .layer("replication")
                    .definedBy("io.farheap.replication..")
                    .layer("remote-memory")
                    .definedBy("io.farheap.remote..")
                    .layer("availability")
                    .definedBy("io.farheap.availability..")
                    .layer("availability-zookeeper")
                    .definedBy("io.farheap.zookeeper..")
                    .layer("target-agent")
                    .definedBy("io.farheap.agent..")
                    .layer("pool-tools")
                    .definedBy("io.farheap.tools..")
                    .whereLayer("poolset-parser")
                    .mayNotAccessAnyLayer()
                    .whereLayer("objstore")
                    .mayOnlyAccessLayers("poolset-parser")
                    .whereLayer("testing")
                    .mayOnlyAccessLayers("objstore", "poolset-parser")
                    .whereLayer("testing")
                    .mayNotBeAccessedByAnyLayer()
                    .whereLayer("objects")
                    .mayOnlyAccessLayers("objstore", "poolset-parser")
                    .whereLayer("objects")
                    .mayOnlyBeAccessedByLayers("pool-tools")
                    .whereLayer("metrics")
                    .mayOnlyAccessLayers("objstore", "poolset-parser")
                    .whereLayer("metrics")
                    .mayNotBeAccessedByAnyLayer()
                    .whereLayer("replication")
                    .mayOnlyAccessLayers("objstore", "poolset-parser")
                    .whereLayer("remote-memory")
                    .mayOnlyAccessLayers("replication", "objstore", "poolset-parser")
                    .whereLayer("remote-memory")
                    .mayNotBeAccessedByAnyLayer()
                    .whereLayer("availability")
                    .mayOnlyAccessLayers(
                            "target-agent", "replication", "objstore", "poolset-parser")
                    .whereLayer("availability")
                    .mayOnlyBeAccessedByLayers("pool-tools", "availability-zookeeper")
                    .whereLayer("availability-zookeeper")
                    .mayOnlyAccessLayers("availability", "objstore")
                    .whereLayer("availability-zookeeper")
                    .mayNotBeAccessedByAnyLayer()
                    .whereLayer("target-agent")
                    .mayOnlyAccessLayers("replication", "objstore", "poolset-parser")
                    .whereLayer("pool-tools")
                    .mayNotBeAccessedByAnyLayer();

    @ArchTest
    static final ArchRule objstoreKnowsNoNetwork =
            noClasses()
                    .that()
                    .resideInAnyPackage(OBJSTORE)
                    .and()
                    .resideOutsideOfPackage("io.farheap.live..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("java.net..", "io.farheap.replication..");

    /** A copy of an open pool goes through a socket of this machine, which has a path. */
    @ArchTest
    static final ArchRule copiesOfOpenPoolsStayOnTheMachine =
            noClasses()
                    .that()
                    .resideInAPackage("io.farheap.live..")
                    .should()
                    .dependOnClassesThat(
                            JavaClass.Predicates.resideInAnyPackage(
                                            "java.net..", "io.farheap.replication..")
                                    .and(
                                            DescribedPredicate.not(
                                                    JavaClass.Predicates.belongToAnyOf(
                                                            UnixDomainSocketAddress.class,
                                                            StandardProtocolFamily.class))));

    @ArchTest
    static final ArchRule replicationKnowsNoTransaction =
            noClasses()
                    .that()
                    .resideInAnyPackage("io.farheap.replication..", "io.farheap.remote..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "io.farheap.engine..", "io.farheap.heap..", "io.farheap.ulog..");

    /** But for one that rolls back what a program left in a copy. */
    @ArchTest
    static final ArchRule theAgentKnowsNoObjects =
            noClasses()
                    .that()
                    .resideInAPackage("io.farheap.agent..")
                    .and()
                    .doNotHaveSimpleName("FormerImage")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "io.farheap.engine..", "io.farheap.heap..", "io.farheap.ulog..");

    @ArchTest
    static final ArchRule logsKnowNoHeap =
            noClasses()
                    .that()
                    .resideInAPackage("io.farheap.ulog..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "io.farheap.heap..", "io.farheap.engine..", "io.farheap.pool..");

    @ArchTest
    static final ArchRule layoutsKnowOnlyMemory =
            classes()
                    .that()
                    .resideInAPackage("io.farheap.layout..")
                    .should()
                    .onlyDependOnClassesThat()
                    .resideInAnyPackage(
                            "java..",
                            "io.farheap.base..",
                            "io.farheap.pmemobj..",
                            "io.farheap.layout..",
                            "io.farheap.memory..");

    /** Its classes come from a class loader of their own; others must not load a second copy. */
    @ArchTest
    static final ArchRule onePackageKnowsDisni =
            noClasses()
                    .that()
                    .resideOutsideOfPackage("io.farheap.replication.fabric.verbs.disni..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "com.ibm.disni..", "io.farheap.replication.fabric.verbs.disni..");

    /** Whoever uses etcd needs nothing of it. */
    @ArchTest
    static final ArchRule onePackageKnowsZooKeeper =
            noClasses()
                    .that()
                    .resideOutsideOfPackage("io.farheap.zookeeper..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("org.apache.zookeeper..", "io.netty..");

    @ArchTest
    static void packagesHaveNoCycles(JavaClasses all) {
        slices().assignedFrom(PACKAGES).should().beFreeOfCycles().check(all);
    }
}
