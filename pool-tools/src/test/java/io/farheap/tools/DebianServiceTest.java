package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The service of the Debian package, in a Debian that debootstrap fetches, as far as a root goes in
 * which systemd is not the first process: dpkg installs the package, systemd's own tools make its
 * user and judge its unit, and what the unit starts is started by hand, as its user, in a network
 * of its own. Then the quick start of docs/service.md, and removal. Needs debootstrap, and root.
 */
@Tag("dist")
@Timeout(600)
class DebianServiceTest {
    private static final String UNIT = "farheap-agent.service";

    /** In the root. What systemd would do from the unit's lines is done by install and setpriv. */
    private static final String SCRIPT =
            """
            set -eu
            unit=/usr/lib/systemd/system/farheap-agent.service
            start=$(sed -n 's/^ExecStart=//p' $unit)
            user=$(sed -n 's/^User=//p' $unit)
            group=$(sed -n 's/^Group=//p' $unit)
            install -d -m 750 -o "$user" -g "$group" /var/lib/farheap
            (
                umask 0077
                export HOME=/var/lib/farheap
                exec setpriv --reuid="$user" --regid="$group" --init-groups --no-new-privs \\
                    --bounding-set=-all --inh-caps=-all $start
            ) >/root/agent.log 2>&1 &
            agent=$!
            for i in $(seq 300); do
                grep -q 'Listening on' /root/agent.log && break
                kill -0 $agent || { cat /root/agent.log; exit 1; }
                sleep 0.1
            done
            echo "runs as $(stat -c %U /proc/$agent): $(tr '\\0' ' ' </proc/$agent/cmdline | cut -c 1-30)"
            grep -E '^(NoNewPrivs|CapBnd):' /proc/$agent/status
            cd /srv
            farheap create --layout farheap-objects bank.set
            farheap status bank.set
            stat -c '%U %a' /var/lib/farheap/bank.part0
            kill -TERM $agent
            code=0
            wait $agent || code=$?
            echo "ended with $code"
            cat /root/agent.log
            """;

    @TempDir private static Path work;

    @Test
    void whatTheUnitStartsServesAReplica() throws Exception {
        assumeThat(onPath("debootstrap")).as("debootstrap is installed").isTrue();
        Path root = work.resolve("root");
        run("debootstrap", "--variant=minbase", "--include=systemd", "bookworm", root.toString());
        Files.copy(Path.of(System.getProperty("farheap.deb")), root.resolve("tmp/farheap.deb"));

        within(root, "dpkg", "--install", "/tmp/farheap.deb");
        assertThat(root.resolve("etc/systemd/system/multi-user.target.wants").resolve(UNIT))
                .as("the package enables nothing")
                .doesNotExist();
        within(root, "systemd-sysusers");
        assertThat(within(root, "id", "farheap")).contains("(farheap)");
        assertThat(within(root, "systemd-analyze", "verify", UNIT)).isEmpty();

        configure(root);
        String said = alone(root);
        assertThat(said)
                .contains("runs as farheap: ", "NoNewPrivs:\t1", "CapBnd:\t0000000000000000")
                .contains("farheap 600", "ended with 143", "Listening on 0.0.0.0 port 7890")
                .contains("copies      : 2, 2 without a fault", "state       : INSYNC");

        within(root, "dpkg", "--purge", "farheap");
        assertThat(root.resolve("usr/lib/systemd/system").resolve(UNIT)).doesNotExist();
        assertThat(root.resolve("usr/bin/farheap")).doesNotExist();
        assertThat(root.resolve("var/lib/farheap/bank.part0")).as("the replica stays").exists();
    }

    /** As docs/service.md says it, with both machines in one root. */
    private static void configure(Path root) throws Exception {
        Path keys = Files.createDirectory(work.resolve("keys"));
        Path made = Files.writeString(work.resolve("keys.sh"), KEYS);
        run("bash", made.toString(), keys.toString());
        Path etc = Files.createDirectory(root.resolve("etc/farheap"));
        Path srv = root.resolve("srv");
        for (String file : List.of("agent.pem", "agent.key", "ca.pem")) {
            Files.copy(keys.resolve(file), etc.resolve(file));
        }
        for (String file : List.of("bank.pem", "bank.key", "ca.pem")) {
            Files.copy(keys.resolve(file), srv.resolve(file));
        }
        Files.writeString(
                etc.resolve("agent.conf"),
                """
                tls-cert = /etc/farheap/agent.pem
                tls-key = /etc/farheap/agent.key
                tls-ca = /etc/farheap/ca.pem
                allow = CN=app-bank bank*.set
                """);
        within(root, "chgrp", "-R", "farheap", "/etc/farheap");
        within(root, "chmod", "-R", "u=rwX,g=rX,o=", "/etc/farheap");
        within(root, "install", "-d", "-o", "farheap", "-g", "farheap", "/var/lib/farheap");
        Path replica = root.resolve("var/lib/farheap/bank-copy.set");
        Files.writeString(replica, "PMEMPOOLSET\n16M /var/lib/farheap/bank.part0\n");
        within(root, "chown", "farheap:", "/var/lib/farheap/bank-copy.set");
        Files.writeString(
                srv.resolve("bank.set"),
                "PMEMPOOLSET\n16M /srv/bank.part0\nREPLICA two bank-copy.set\n");
        Files.writeString(
                srv.resolve("bank.set.replication"),
                "connect = tls\ntls-cert = bank.pem\ntls-key = bank.key\ntls-ca = ca.pem\n");
        Files.writeString(root.resolve("etc/hosts"), "127.0.0.1 localhost two\n");
        Files.writeString(root.resolve("root/service.sh"), SCRIPT);
    }

    private static final String KEYS =
            """
            set -e
            cd "$1"
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 \\
                -subj "/CN=farheap authority" -keyout ca.key -out ca.pem
            sign() {  # name, subject, extensions
              openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "$2" \\
                  -keyout "$1.key" -out "$1.csr"
              openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -days 20 \\
                  -out "$1.pem" -extfile <(printf '%s\\n' "$3")
            }
            sign agent "/CN=two" "subjectAltName=DNS:two"
            sign bank "/CN=app-bank" "extendedKeyUsage=clientAuth"
            """;

    /** With processes, a network and a /proc of its own, which end with it. */
    private static String alone(Path root) throws IOException, InterruptedException {
        return run(
                "unshare",
                "--net",
                "--pid",
                "--fork",
                "--kill-child",
                "--mount-proc=" + root.resolve("proc"),
                "sh",
                "-c",
                "ip link set lo up && exec chroot \"$1\" bash /root/service.sh",
                "sh",
                root.toString());
    }

    private static String within(Path root, String... words)
            throws IOException, InterruptedException {
        return run(
                Stream.concat(Stream.of("chroot", root.toString()), Arrays.stream(words))
                        .toArray(String[]::new));
    }

    private static String run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(List.of(command) + "\n" + said).isZero();
        return said;
    }

    private static boolean onPath(String command) {
        return Stream.of(System.getenv("PATH").split(":"))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, command)));
    }
}
