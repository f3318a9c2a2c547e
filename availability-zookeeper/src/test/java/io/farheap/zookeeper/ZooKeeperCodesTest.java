package io.farheap.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.zookeeper.KeeperException.Code;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a server's codes mean. */
class ZooKeeperCodesTest {
    @ParameterizedTest
    @EnumSource(
            value = Code.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"OK", "UNKNOWNSESSION"})
    void eachCodeIsAFailureOfItsOwn(Code code) {
        assertThat(ZooKeeperFailures.of(code.intValue(), "/k").code()).isEqualTo(code);
    }

    /** The client has no exception for it. */
    @Test
    void aSessionThatAServerDoesNotKnowTellsNothing() {
        int code = Code.UNKNOWNSESSION.intValue();
        assertThat(ZooKeeperFailures.isUnanswered(ZooKeeperFailures.of(code, "/k"))).isTrue();
    }

    /** Of a server that is newer than this client: else nobody would end the wait for it. */
    @Test
    void aCodeThatNobodyKnowsTellsNothing() {
        assertThat(ZooKeeperFailures.isUnanswered(ZooKeeperFailures.of(-9_999, "/k"))).isTrue();
    }

    @ParameterizedTest
    @EnumSource(
            value = Code.class,
            names = {"AUTHFAILED", "SESSIONCLOSEDREQUIRESASLAUTH"})
    void aSessionThatIsEndedForItsUserMayHaveChangedSomething(Code code) {
        assertThat(ZooKeeperFailures.mayBeDone(ZooKeeperFailures.of(code.intValue(), "/k")))
                .isTrue();
        assertThat(ZooKeeperFailures.isUnanswered(ZooKeeperFailures.of(code.intValue(), "/k")))
                .as("it is not tried again")
                .isFalse();
    }

    @Test
    void whatIsRefusedIsNotDone() {
        assertThat(ZooKeeperFailures.mayBeDone(ZooKeeperFailures.of(Code.NOAUTH.intValue(), "/k")))
                .isFalse();
    }
}
