package io.farheap.replication.epoch;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.base.FarheapException;
import io.farheap.replication.control.RefusedException;
import io.farheap.replication.control.Reply;
import org.junit.jupiter.api.Test;

/** A right that is missing is told apart from trouble of the target's own. */
class MissingRightTest {
    private static final String LINE = "allow = CN=app-bank bank.set administer";

    @Test
    void theRightAndTheLineAreNamed() {
        assertThat(
                        MissingRight.in(
                                refused(
                                        Reply.Code.ACCESS,
                                        "The target does not allow CN=app-bank to administer the"
                                                + " replica \"bank.set\".",
                                        "If it shall, add to the target's agent.conf: " + LINE)))
                .hasValueSatisfying(
                        said ->
                                assertThat(said)
                                        .contains(
                                                LINE,
                                                "b:bank.set",
                                                "need that right at every agent"));
    }

    @Test
    void nothingElseIs() {
        FarheapException files = refused(Reply.Code.ACCESS, "Permission denied: /srv/x.", "");
        assertThat(MissingRight.in(files)).isEmpty();
        assertThat(MissingRight.in(refused(Reply.Code.BUSY, "administer", ""))).isEmpty();
        assertThat(MissingRight.in(FarheapException.replica("administer"))).isEmpty();
    }

    private static RefusedException refused(Reply.Code code, String message, String advice) {
        return new RefusedException("b:bank.set", new Reply.Refused(code, message, advice));
    }
}
