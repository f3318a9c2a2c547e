package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The container image of the profile {@code dist}: buildah builds it on a Debian that debootstrap
 * fetches, and runs commands in it, without an engine. Needs both, and root.
 */
@Tag("dist")
class ContainerImageTest {
    private static final String USER = "7890";

    @TempDir private static Path work;
    private static Path data;

    @BeforeAll
    static void theImageIsBuilt() throws Exception {
        assumeThat(onPath("buildah") && onPath("debootstrap"))
                .as("buildah and debootstrap are installed")
                .isTrue();
        Path base = work.resolve("base");
        run("debootstrap", "--variant=minbase", "bookworm", base.toString());
        run("buildah", "from", "--name", "base", "scratch");
        run("buildah", "add", "base", base.toString(), "/");
        run("rm", "-rf", base.toString());
        run("buildah", "commit", "--rm", "base", "farheap-base");
        run(
                "buildah",
                "build",
                "--isolation=chroot",
                "--build-arg=BASE=localhost/farheap-base",
                "--tag=farheap",
                System.getProperty("farheap.image"));
        run("buildah", "from", "--name", "farheap", "localhost/farheap");
        data = Files.createDirectory(work.resolve("data"));
        run("chown", USER + ":" + USER, data.toString());
    }

    @AfterAll
    static void nothingOfItStays() throws Exception {
        if (Files.isDirectory(work.resolve("store"))) {
            run("buildah", "rm", "--all");
            run("buildah", "rmi", "--all", "--force");
        }
    }

    @Test
    void itRunsTheCommandAndTheAgentAsAUserThatIsNotRoot() throws Exception {
        assertThat(run("buildah", "inspect", "--format={{.OCIv1.Config}}", "farheap"))
                .contains("7890:7890", "farheap", "agent", "--listen", "/var/lib/farheap");

        assertThat(within("farheap", "--version")).contains("farheap");
        within("farheap", "create", "a.pool");
        assertThat(within("farheap", "info", "a.pool")).contains("PMEMOBJ");
        assertThat(Files.getAttribute(data.resolve("a.pool"), "unix:uid")).isEqualTo(7890);
        assertThat(within("sh", "-c", "ls /usr/lib/*/libpmem.so.1 && command -v ssh")).isNotBlank();
    }

    @Test
    void itsAgentListensWithTheCertificatesThatItIsGiven() throws Exception {
        String agent = "timeout --signal=TERM 5 farheap agent --listen 127.0.0.1:0 2>&1 || true";
        assertThat(within("sh", "-c", agent)).contains("tls-cert", "/etc/farheap/agent.conf");

        run(
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:P-256",
                "-nodes",
                "-subj",
                "/CN=two",
                "-keyout",
                data.resolve("agent.key").toString(),
                "-out",
                data.resolve("agent.pem").toString());
        String configuration =
                """
                tls-cert = /var/lib/farheap/agent.pem
                tls-key = /var/lib/farheap/agent.key
                tls-ca = /var/lib/farheap/agent.pem
                allow = CN=two *.set
                """;
        Files.writeString(data.resolve(".farheap-agent.conf"), configuration);
        run("chown", "-R", USER + ":" + USER, data.toString());
        assertThat(within("sh", "-c", agent)).contains("Listening on 127.0.0.1 port ");
    }

    private static String within(String... words) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                "buildah",
                                "run",
                                "--isolation=chroot",
                                "--volume=" + data + ":/var/lib/farheap",
                                "farheap",
                                "--"));
        command.addAll(Arrays.asList(words));
        return run(command.toArray(String[]::new));
    }

    private static String run(String... command) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("STORAGE_DRIVER", "vfs");
        builder.environment().put("CONTAINERS_STORAGE_CONF", storage().toString());
        Process process = builder.start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(List.of(command) + "\n" + said).isZero();
        return said;
    }

    /** All that buildah keeps lies in this test's directory. */
    private static Path storage() throws IOException {
        Path file = work.resolve("storage.conf");
        if (!Files.exists(file)) {
            Files.writeString(
                    file,
                    """
                    [storage]
                    driver = "vfs"
                    graphroot = "%s"
                    runroot = "%s"
                    """
                            .formatted(work.resolve("store"), work.resolve("run")));
        }
        return file;
    }

    private static boolean onPath(String command) {
        return Stream.of(System.getenv("PATH").split(":"))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, command)));
    }
}
