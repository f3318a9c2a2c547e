/*
 * Calls libdisni as the JVM would, without one: what it does with null handles and bad arguments,
 * and how long it waits. Prints nothing and ends with 0 where all is well. Needs no RDMA device.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../main/c/disni.h"

static char thrown[256]; /* of the last exception, empty when there was none */
static int failures;

#define CHECK(condition)                                                                     \
    do {                                                                                     \
        if (!(condition)) {                                                                  \
            printf("%s:%d: not so: %s (thrown: %s)\n", __FILE__, __LINE__, #condition, thrown); \
            failures++;                                                                      \
        }                                                                                    \
    } while (0)

static jclass JNICALL find_class(JNIEnv *env, const char *name)
{
    (void) env;
    CHECK(strcmp(name, "java/io/IOException") == 0);
    return (jclass) &thrown;
}

static jint JNICALL throw_new(JNIEnv *env, jclass type, const char *text)
{
    (void) env, (void) type;
    CHECK(thrown[0] == 0); /* two exceptions for one call */
    snprintf(thrown, sizeof thrown, "%s", text);
    return 0;
}

static struct JNINativeInterface_ functions;
static JNIEnv environment = &functions;
static JNIEnv *env = &environment;

/* Whether the call before threw this; forgets it. */
static int threw(const char *part)
{
    int found = thrown[0] != 0 && strstr(thrown, part) != NULL;
    if (found) {
        thrown[0] = 0;
    }
    return found;
}

#define DECLARE(type, name, ...) \
    extern type Java_com_ibm_disni_verbs_impl_NativeDispatcher__1##name(JNIEnv *, jobject, ##__VA_ARGS__)
#define CALL(name, ...) \
    Java_com_ibm_disni_verbs_impl_NativeDispatcher__1##name(env, NULL, ##__VA_ARGS__)

DECLARE(jint, getVersion);
DECLARE(jint, getIbvSendWRSize);
DECLARE(jint, getSockAddrInSize);
DECLARE(jint, destroyEventChannel, jlong);
DECLARE(jlong, createId, jlong, jshort);
DECLARE(void, bindAddr, jlong, jlong);
DECLARE(void, listen, jlong, jint);
DECLARE(void, resolveAddr, jlong, jlong, jlong, jint);
DECLARE(void, resolveRoute, jlong, jint);
DECLARE(jint, getCmEvent, jlong, jlong, jlong, jint);
DECLARE(void, connect, jlong, jint, jint, jlong, jbyte);
DECLARE(void, accept, jlong, jint, jint);
DECLARE(jint, disconnect, jlong);
DECLARE(jint, destroyCmId, jlong);
DECLARE(jint, destroyEp, jlong);
DECLARE(jint, getSrcAddr, jlong, jlong);
DECLARE(jlong, getContext, jlong);
DECLARE(jlong, createQP, jlong, jlong, jlong, jlong, jint, jint, jint, jint);
DECLARE(jint, destroyQP, jlong);
DECLARE(jlong, allocPd, jlong);
DECLARE(jint, deallocPd, jlong);
DECLARE(jlong, createCompChannel, jlong);
DECLARE(jlong, createCQ, jlong, jlong, jint, jint);
DECLARE(jint, destroyCQ, jlong);
DECLARE(jint, modifyQP, jlong, jlong);
DECLARE(jlong, regMr, jlong, jlong, jint, jint, jlong, jlong, jlong);
DECLARE(void, deregMr, jlong);
DECLARE(jint, queryOdpSupport, jlong);
DECLARE(jint, expPrefetchMr, jlong, jlong, jint);
DECLARE(void, postSend, jlong, jlong);
DECLARE(void, postRecv, jlong, jlong);
DECLARE(jint, pollCQ, jlong, jint, jlong);
DECLARE(jint, reqNotifyCQ, jlong, jint);
DECLARE(jint, getCqEvent, jlong, jint);
DECLARE(jint, ackCqEvent, jlong, jint);
DECLARE(jint, getQpNum, jlong);
extern jlong Java_com_ibm_disni_util_NativeAffinity__1getAffinity(JNIEnv *, jclass);
extern void Java_com_ibm_disni_util_NativeAffinity__1setAffinity(JNIEnv *, jclass, jlong);

static void null_handles_are_refused(void)
{
    jlong keys[3];
    CHECK(CALL(createId, 0, 1) == -1 && threw("event channel"));
    CALL(bindAddr, 0, AS_LONG(keys));
    CHECK(threw("bind"));
    CALL(listen, 0, 1);
    CHECK(threw("listen"));
    CALL(resolveAddr, 0, 0, AS_LONG(keys), 1);
    CHECK(threw("resolve"));
    CALL(resolveRoute, 0, 1);
    CHECK(threw("route"));
    CALL(connect, 0, 7, 7, 0, 0);
    CHECK(threw("connect"));
    CALL(accept, 0, 7, 7);
    CHECK(threw("accept"));
    CHECK(CALL(getContext, 0) == -1 && threw("device"));
    CHECK(CALL(createQP, 0, 0, 0, 0, 2, 1, 1, 0) == -1 && threw("queue pair"));
    CHECK(CALL(allocPd, 0) == -1 && threw("protection domain"));
    CHECK(CALL(createCompChannel, 0) == -1 && threw("completion channel"));
    CHECK(CALL(createCQ, 0, 0, 1, 0) == -1 && threw("completion queue"));
    CHECK(CALL(modifyQP, 0, 0) == -1 && threw("attributes"));
    CHECK(CALL(regMr, 0, 0, 1, 0, AS_LONG(keys), AS_LONG(keys + 1), AS_LONG(keys + 2)) == -1);
    CHECK(threw("memory region"));
    CALL(deregMr, 0);
    CHECK(threw("deregister"));
    CHECK(CALL(expPrefetchMr, 0, 0, 0) == -1 && threw("prefetch"));
    CALL(postSend, 0, AS_LONG(keys));
    CHECK(threw("post"));
    CALL(postRecv, AS_LONG(keys), 0);
    CHECK(threw("post"));
    CHECK(CALL(pollCQ, 0, 1, AS_LONG(keys)) == -1 && threw("poll"));
    CHECK(CALL(getCqEvent, 0, 0) == -1 && threw("completion channel"));
    CHECK(CALL(getQpNum, 0) == -1 && threw("queue pair"));
    /* these say so by what they return */
    CHECK(CALL(getCmEvent, 0, 0, 0, 0) == -1);
    CHECK(CALL(disconnect, 0) == -1 && CALL(destroyCmId, 0) == -1 && CALL(destroyEp, 0) == -1);
    CHECK(CALL(destroyEventChannel, 0) == -1 && CALL(destroyQP, 0) == -1);
    CHECK(CALL(deallocPd, 0) == -1 && CALL(destroyCQ, 0) == -1);
    CHECK(CALL(reqNotifyCQ, 0, 0) == -1 && CALL(ackCqEvent, 0, 1) == -1);
    CHECK(CALL(getSrcAddr, 0, AS_LONG(keys)) == -1 && CALL(queryOdpSupport, 0) == -1);
    CHECK(thrown[0] == 0);
}

static void a_negative_length_is_refused(void)
{
    jlong keys[3];
    jlong domain = AS_LONG(keys); /* never looked at */
    CHECK(CALL(regMr, domain, domain, -1, 0, AS_LONG(keys), AS_LONG(keys), AS_LONG(keys)) == -1);
    CHECK(threw("Invalid argument"));
}

static int64_t now_milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void ignore(int signal)
{
    (void) signal;
}

static void *interrupt(void *waiter)
{
    usleep(20000);
    pthread_kill(*(pthread_t *) waiter, SIGUSR1);
    return NULL;
}

/* A signal neither ends the wait early nor makes it longer by more than a slow machine does. */
static void a_signal_does_not_end_a_wait(void)
{
    int ends[2];
    struct sigaction action = {.sa_handler = ignore};
    pthread_t self = pthread_self();
    pthread_t other;
    CHECK(pipe(ends) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
    CHECK(pthread_create(&other, NULL, interrupt, &self) == 0);
    int64_t begin = now_milliseconds();
    CHECK(wait_readable(ends[0], 200) == 0);
    CHECK(now_milliseconds() - begin >= 199);
    CHECK(now_milliseconds() - begin < 60000);
    pthread_join(other, NULL);
    CHECK(wait_readable(ends[0], 0) == 0);
    CHECK(write(ends[1], "x", 1) == 1 && wait_readable(ends[0], 60000) == 1);
    close(ends[0]);
    close(ends[1]);
}

static void affinity_is_what_was_set(void)
{
    jlong before = Java_com_ibm_disni_util_NativeAffinity__1getAffinity(env, NULL);
    jlong one = before & -before;
    CHECK(before != 0);
    Java_com_ibm_disni_util_NativeAffinity__1setAffinity(env, NULL, one);
    CHECK(Java_com_ibm_disni_util_NativeAffinity__1getAffinity(env, NULL) == one);
    Java_com_ibm_disni_util_NativeAffinity__1setAffinity(env, NULL, before);
}

int main(void)
{
    functions.FindClass = find_class;
    functions.ThrowNew = throw_new;
    CHECK(CALL(getVersion) == INTERFACE_VERSION);
    CHECK(CALL(getIbvSendWRSize) == 128 && CALL(getSockAddrInSize) == 16);
    null_handles_are_refused();
    a_negative_length_is_refused();
    a_signal_does_not_end_a_wait();
    affinity_is_what_was_set();
    return failures == 0 ? 0 : 1;
}
