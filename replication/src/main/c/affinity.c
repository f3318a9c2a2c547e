/* com.ibm.disni.util.NativeAffinity: which of the first 64 processors the calling thread runs on. */
#define _GNU_SOURCE
#include <sched.h>

#include "disni.h"

JNIEXPORT void JNICALL
Java_com_ibm_disni_util_NativeAffinity__1setAffinity(JNIEnv *env, jclass type, jlong mask)
{
    cpu_set_t processors;
    (void) env, (void) type;
    CPU_ZERO(&processors);
    for (int i = 0; i < 64; i++) {
        if (((uint64_t) mask >> i & 1) != 0) {
            CPU_SET(i, &processors);
        }
    }
    /* A preference: a thread that runs elsewhere does the same. */
    (void) sched_setaffinity(0, sizeof processors, &processors);
}

JNIEXPORT jlong JNICALL
Java_com_ibm_disni_util_NativeAffinity__1getAffinity(JNIEnv *env, jclass type)
{
    cpu_set_t processors;
    uint64_t mask = 0;
    (void) env, (void) type;
    CPU_ZERO(&processors);
    if (sched_getaffinity(0, sizeof processors, &processors) == 0) {
        for (int i = 0; i < 64; i++) {
            mask |= (uint64_t) (CPU_ISSET(i, &processors) ? 1 : 0) << i;
        }
    }
    return (jlong) mask;
}
