/* Memory, queues and work requests: libibverbs behind NativeDispatcher. */
#include "disni.h"

#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <netinet/in.h>
#include <stddef.h>

/* verbs return an errno or, in places, -1 with errno set */
static int error_of(int result)
{
    return result > 0 ? result : errno;
}

NATIVE(jlong, allocPd)(JNIEnv *env, jobject self, jlong device)
{
    (void) self;
    if (!usable(env, "A protection domain without a device", device)) {
        return -1;
    }
    struct ibv_pd *domain = ibv_alloc_pd(HANDLE(struct ibv_context, device));
    if (domain == NULL) {
        throw_errno(env, "No protection domain can be made", errno);
        return -1;
    }
    return AS_LONG(domain);
}

NATIVE(jint, deallocPd)(JNIEnv *env, jobject self, jlong domain)
{
    (void) env, (void) self;
    return domain == 0 ? -1 : ibv_dealloc_pd(HANDLE(struct ibv_pd, domain));
}

NATIVE(jlong, createCompChannel)(JNIEnv *env, jobject self, jlong device)
{
    (void) self;
    if (!usable(env, "A completion channel without a device", device)) {
        return -1;
    }
    struct ibv_comp_channel *channel = ibv_create_comp_channel(HANDLE(struct ibv_context, device));
    if (channel == NULL) {
        throw_errno(env, "No completion channel can be made", errno);
        return -1;
    }
    int flags = fcntl(channel->fd, F_GETFL);
    if (flags < 0 || fcntl(channel->fd, F_SETFL, flags | O_NONBLOCK) < 0) {
        int error = errno;
        ibv_destroy_comp_channel(channel);
        throw_errno(env, "The completion channel can't be made non-blocking", error);
        return -1;
    }
    return AS_LONG(channel);
}

NATIVE(jint, destroyCompChannel)(JNIEnv *env, jobject self, jlong channel)
{
    (void) env, (void) self;
    return channel == 0 ? -1 : ibv_destroy_comp_channel(HANDLE(struct ibv_comp_channel, channel));
}

NATIVE(jlong, createCQ)
(JNIEnv *env, jobject self, jlong device, jlong channel, jint entries, jint vector)
{
    (void) self;
    if (!usable(env, "A completion queue without a device", device)) {
        return -1;
    }
    struct ibv_cq *queue = ibv_create_cq(
            HANDLE(struct ibv_context, device), entries, NULL,
            HANDLE(struct ibv_comp_channel, channel), vector);
    if (queue == NULL) {
        throw_errno(env, "No completion queue can be made", errno);
        return -1;
    }
    return AS_LONG(queue);
}

NATIVE(jint, destroyCQ)(JNIEnv *env, jobject self, jlong queue)
{
    (void) env, (void) self;
    return queue == 0 ? -1 : ibv_destroy_cq(HANDLE(struct ibv_cq, queue));
}

NATIVE(jint, modifyQP)(JNIEnv *env, jobject self, jlong queue_pair, jlong attributes)
{
    (void) self, (void) queue_pair, (void) attributes;
    throw_errno(env, "DiSNI hands over no attributes to change a queue pair by", ENOTSUP);
    return -1;
}

NATIVE(jlong, regMr)
(JNIEnv *env, jobject self, jlong domain, jlong address, jint length, jint access, jlong local_key,
 jlong remote_key, jlong handle)
{
    (void) self;
    if (!usable(env, "A memory region without a protection domain", domain)) {
        return -1;
    }
    if (length < 0 || local_key == 0 || remote_key == 0 || handle == 0) {
        throw_errno(env, "A memory region's length or places for its keys", EINVAL);
        return -1;
    }
    struct ibv_mr *region = ibv_reg_mr(
            HANDLE(struct ibv_pd, domain), HANDLE(void, address), (size_t) length, access);
    if (region == NULL) {
        throw_errno(env, "The memory can't be registered", errno);
        return -1;
    }
    *HANDLE(uint32_t, local_key) = region->lkey;
    *HANDLE(uint32_t, remote_key) = region->rkey;
    *HANDLE(uint32_t, handle) = region->handle;
    return AS_LONG(region);
}

NATIVE(void, deregMr)(JNIEnv *env, jobject self, jlong region)
{
    (void) self;
    if (!usable(env, "No memory region to deregister", region)) {
        return;
    }
    int result = ibv_dereg_mr(HANDLE(struct ibv_mr, region));
    if (result != 0) {
        throw_errno(env, "The memory region can't be deregistered", error_of(result));
    }
}

NATIVE(jint, queryOdpSupport)(JNIEnv *env, jobject self, jlong device)
{
    struct ibv_device_attr_ex attributes;
    (void) env, (void) self;
    if (device == 0
            || ibv_query_device_ex(HANDLE(struct ibv_context, device), NULL, &attributes) != 0
            || (attributes.odp_caps.general_caps & IBV_ODP_SUPPORT) == 0) {
        return -1;
    }
    return (jint) attributes.odp_caps.per_transport_caps.rc_odp_caps;
}

NATIVE(jint, expPrefetchMr)(JNIEnv *env, jobject self, jlong region, jlong address, jint length)
{
    (void) self;
    if (!usable(env, "No memory region to prefetch", region)) {
        return -1;
    }
    struct ibv_mr *memory = HANDLE(struct ibv_mr, region);
    struct ibv_sge part = {
        .addr = (uint64_t) address, .length = (uint32_t) length, .lkey = memory->lkey};
    int result = ibv_advise_mr(
            memory->pd, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, IBV_ADVISE_MR_FLAG_FLUSH, &part, 1);
    if (result != 0) {
        throw_errno(env, "The memory can't be prefetched", error_of(result));
        return -1;
    }
    return 0;
}

NATIVE(void, postSend)(JNIEnv *env, jobject self, jlong queue_pair, jlong requests)
{
    struct ibv_send_wr *refused;
    (void) self;
    if (!usable(env, "post to no queue pair", queue_pair)
            || !usable(env, "post no requests", requests)) {
        return;
    }
    int result = ibv_post_send(
            HANDLE(struct ibv_qp, queue_pair), HANDLE(struct ibv_send_wr, requests), &refused);
    if (result != 0) {
        throw_errno(env, "The send queue refuses", error_of(result));
    }
}

NATIVE(void, postRecv)(JNIEnv *env, jobject self, jlong queue_pair, jlong requests)
{
    struct ibv_recv_wr *refused;
    (void) self;
    if (!usable(env, "post to no queue pair", queue_pair)
            || !usable(env, "post no requests", requests)) {
        return;
    }
    int result = ibv_post_recv(
            HANDLE(struct ibv_qp, queue_pair), HANDLE(struct ibv_recv_wr, requests), &refused);
    if (result != 0) {
        throw_errno(env, "The receive queue refuses", error_of(result));
    }
}

NATIVE(jint, pollCQ)(JNIEnv *env, jobject self, jlong queue, jint room, jlong completions)
{
    (void) self;
    if (!usable(env, "poll no queue", queue) || !usable(env, "poll to nowhere", completions)) {
        return -1;
    }
    return ibv_poll_cq(HANDLE(struct ibv_cq, queue), room, HANDLE(struct ibv_wc, completions));
}

NATIVE(jint, reqNotifyCQ)(JNIEnv *env, jobject self, jlong queue, jint solicited_only)
{
    (void) env, (void) self;
    return queue == 0 ? -1 : ibv_req_notify_cq(HANDLE(struct ibv_cq, queue), solicited_only);
}

NATIVE(jint, getCqEvent)(JNIEnv *env, jobject self, jlong channel, jint milliseconds)
{
    struct ibv_cq *queue;
    void *context;
    (void) self;
    if (!usable(env, "wait on no completion channel", channel)) {
        return -1;
    }
    struct ibv_comp_channel *events = HANDLE(struct ibv_comp_channel, channel);
    if (wait_readable(events->fd, milliseconds) <= 0) {
        return -1;
    }
    return ibv_get_cq_event(events, &queue, &context);
}

NATIVE(jint, ackCqEvent)(JNIEnv *env, jobject self, jlong queue, jint events)
{
    (void) env, (void) self;
    if (queue == 0) {
        return -1;
    }
    ibv_ack_cq_events(HANDLE(struct ibv_cq, queue), (unsigned) events);
    return 0;
}

NATIVE(jint, getQpNum)(JNIEnv *env, jobject self, jlong queue_pair)
{
    (void) self;
    if (!usable(env, "The number of no queue pair", queue_pair)) {
        return -1;
    }
    return (jint) HANDLE(struct ibv_qp, queue_pair)->qp_num;
}

NATIVE(jint, getContextFd)(JNIEnv *env, jobject self, jlong device)
{
    (void) self;
    return usable(env, "The descriptor of no device", device)
            ? HANDLE(struct ibv_context, device)->cmd_fd
            : -1;
}

NATIVE(jint, getContextNumCompVectors)(JNIEnv *env, jobject self, jlong device)
{
    (void) self;
    return usable(env, "The vectors of no device", device)
            ? HANDLE(struct ibv_context, device)->num_comp_vectors
            : -1;
}

NATIVE(jint, getPdHandle)(JNIEnv *env, jobject self, jlong domain)
{
    (void) self;
    return usable(env, "The handle of no protection domain", domain)
            ? (jint) HANDLE(struct ibv_pd, domain)->handle
            : -1;
}

/* Java writes and reads these structures in memory; it learns here where their fields are. */
NATIVE(jint, getSockAddrInSize)(JNIEnv *env, jobject self)
{
    (void) env, (void) self;
    return (jint) sizeof(struct sockaddr_in);
}

NATIVE(jint, getIbvRecvWRSize)(JNIEnv *env, jobject self)
{
    (void) env, (void) self;
    return (jint) sizeof(struct ibv_recv_wr);
}

NATIVE(jint, getIbvSendWRSize)(JNIEnv *env, jobject self)
{
    (void) env, (void) self;
    return (jint) sizeof(struct ibv_send_wr);
}

NATIVE(jint, getIbvSgeSize)(JNIEnv *env, jobject self)
{
    (void) env, (void) self;
    return (jint) sizeof(struct ibv_sge);
}

NATIVE(jint, getIbvWCSize)(JNIEnv *env, jobject self)
{
    (void) env, (void) self;
    return (jint) sizeof(struct ibv_wc);
}

NATIVE(jint, getRemoteAddressOffset)(JNIEnv *env, jobject self)
{
    (void) env, (void) self;
    return (jint) offsetof(struct ibv_send_wr, wr.rdma.remote_addr);
}

NATIVE(jint, getRKeyOffset)(JNIEnv *env, jobject self)
{
    (void) env, (void) self;
    return (jint) offsetof(struct ibv_send_wr, wr.rdma.rkey);
}

NATIVE(jint, getVersion)(JNIEnv *env, jobject self)
{
    (void) env, (void) self;
    return INTERFACE_VERSION;
}
