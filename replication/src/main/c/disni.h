/* What the parts of libdisni share: names, handles and exceptions. */
#ifndef FARHEAP_DISNI_H
#define FARHEAP_DISNI_H

#include <jni.h>
#include <stdint.h>

/* The interface's number, which the Java side wants to find unchanged. */
#define INTERFACE_VERSION 32

/* A method of com.ibm.disni.verbs.impl.NativeDispatcher; its name begins with an underscore. */
#define NATIVE(type, name) \
    JNIEXPORT type JNICALL Java_com_ibm_disni_verbs_impl_NativeDispatcher__1##name

/* Handles are addresses of what libibverbs and librdmacm hand out. */
#define HANDLE(type, value) ((type *) (intptr_t) (value))
#define AS_LONG(pointer) ((jlong) (intptr_t) (pointer))

/* Throws java.io.IOException: what was tried, and the system's reason for the errno. */
void throw_errno(JNIEnv *env, const char *what, int error);

/* Whether a handle may be used; throws java.io.IOException when it is null. */
int usable(JNIEnv *env, const char *what, jlong handle);

/*
 * Waits until a descriptor can be read. Returns 1 when it can, 0 when the time is over, -1 with
 * errno otherwise. A negative time is without a limit; a signal does not cut or prolong the wait.
 */
int wait_readable(int descriptor, int milliseconds);

#endif
