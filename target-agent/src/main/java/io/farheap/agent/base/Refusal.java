package io.farheap.agent.base;

import io.farheap.base.FarheapException;
import io.farheap.replication.control.Limits;
import io.farheap.replication.control.Reply;

/** Why the agent does not do what it was asked for; becomes the answer, and nothing has changed. */
public final class Refusal extends FarheapException {
    private static final long serialVersionUID = 1L;

    private final Reply.Code code;
    private final String advice;

    /**
     * @param code by which an initiator's program tells refusals apart
     * @param message what is refused and why: whole sentences
     * @param advice what somebody can do about it; "": nothing
     */
    public Refusal(Reply.Code code, String message, String advice) {
        this(code, message, advice, null);
    }

    /**
     * @param code by which an initiator's program tells refusals apart
     * @param message what is refused and why: whole sentences
     * @param advice what somebody can do about it; "": nothing
     * @param cause what failed before it, which is not sent; null: nothing
     */
    public Refusal(Reply.Code code, String message, String advice, Throwable cause) {
        super(categoryOf(code), message, cause);
        this.code = code;
        this.advice = advice;
    }

    /** Any failure as a refusal: what went wrong is the initiator's to read. */
    public static Refusal of(FarheapException e) {
        if (e instanceof Refusal refusal) {
            return refusal;
        }
        Reply.Code code =
                switch (e.category()) {
                    case WRONG_USE -> Reply.Code.WRONG_STATE;
                    case BAD_DATA -> Reply.Code.DAMAGED;
                    case ENVIRONMENT -> Reply.Code.MEDIUM;
                    case REPLICA -> Reply.Code.OTHER;
                };
        return new Refusal(code, e.getMessage(), "", e);
    }

    private static Category categoryOf(Reply.Code code) {
        return switch (code) {
            case DAMAGED, BAD_MESSAGE -> Category.BAD_DATA;
            case BUSY, ACCESS, MEDIUM -> Category.ENVIRONMENT;
            default -> Category.WRONG_USE;
        };
    }

    /** By which an initiator's program tells it from others. */
    public Reply.Code code() {
        return code;
    }

    String advice() {
        return advice;
    }

    /** Message and advice in one, for who reads them on this machine. */
    public FarheapException whole() {
        String advised = advice.isEmpty() ? getMessage() : getMessage() + " " + advice;
        return new FarheapException(category(), advised, this);
    }

    /** The answer to the initiator: texts cut to what a message may have, without the cause. */
    public Reply.Refused toReply() {
        return new Reply.Refused(code, Limits.cut(getMessage()), Limits.cut(advice));
    }
}
