package io.farheap.tools.failover;

/**
 * What an HTTP client is told.
 *
 * @param status of HTTP
 * @param body one JSON object
 */
record WriterAnswer(int status, String body) {
    static final int YES = 200;
    static final int WRONG_REQUEST = 400;
    static final int UNKNOWN = 404;
    static final int WRONG_METHOD = 405;
    static final int NO = 503;
}
