#include "disni.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

void throw_errno(JNIEnv *env, const char *what, int error)
{
    char reason[128];
    char text[256];
    jclass exception = (*env)->FindClass(env, "java/io/IOException");
    if (exception == NULL) {
        return; /* FindClass has thrown */
    }
    if (strerror_r(error, reason, sizeof reason) != 0) {
        snprintf(reason, sizeof reason, "error %d", error);
    }
    snprintf(text, sizeof text, "%s: %s", what, reason);
    (*env)->ThrowNew(env, exception, text);
}

int usable(JNIEnv *env, const char *what, jlong handle)
{
    if (handle == 0) {
        throw_errno(env, what, EBADF);
        return 0;
    }
    return 1;
}

static int64_t now_milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int wait_readable(int descriptor, int milliseconds)
{
    struct pollfd wanted = {.fd = descriptor, .events = POLLIN};
    int64_t deadline = now_milliseconds() + milliseconds;
    int left = milliseconds;
    for (;;) {
        int ready = poll(&wanted, 1, left);
        if (ready >= 0 || errno != EINTR) {
            return ready;
        }
        if (milliseconds >= 0) {
            int64_t rest = deadline - now_milliseconds();
            left = rest > 0 ? (int) rest : 0;
        }
    }
}
