package io.farheap.tools;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How the commands of automatic fail-over are told of the store; nobody listens there. */
class StoreOptionsTest {
    private static final String STORE = "etcd:http://127.0.0.1:1";

    @Test
    void whatBelongsTogetherIsGivenTogether() {
        Run.farheap("pools", "--store-ca", "ca.pem", STORE)
                .failedWith(ExitCode.WRONG_USE, "--store-key are given together");
        Run.farheap("ha", "status", "--pool=p", "--store", STORE, "--store-user=u")
                .failedWith(ExitCode.WRONG_USE, "--store-password are given together");
    }

    @Test
    void filesThatAreNotThereAreNamed(@TempDir Path dir) {
        String no = dir.resolve("no").toString();
        Run.farheap("pools", "--store-user=u", "--store-password", no, STORE)
                .failedWith(ExitCode.ENVIRONMENT, no);
        Run.farheap("pools", "--store-ca", no, "--store-cert", no, "--store-key", no, STORE)
                .failedWith(ExitCode.ENVIRONMENT, no);
    }

    @Test
    void aStoreThatDoesNotAnswerIsOneSentence() {
        Run.farheap("pools", STORE)
                .failedWith(
                        ExitCode.ENVIRONMENT,
                        "etcd does not answer",
                        ":1: can't be connected: nobody");
        Run.farheap("pools", "etcd:http://no-such-host.invalid:1")
                .failedWith(ExitCode.ENVIRONMENT, "can't be connected: nobody knows its host");
        Run.farheap("pools", "here").failedWith(ExitCode.WRONG_USE, "\"here\" names no store");
        Run.farheap("pools", "--cluster=a/b", STORE)
                .failedWith(ExitCode.WRONG_USE, "can't be the name of a cluster");
    }
}
