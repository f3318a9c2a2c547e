/* Connections: librdmacm behind NativeDispatcher. */
#include "disni.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <rdma/rdma_cma.h>
#include <string.h>

NATIVE(jlong, createEventChannel)(JNIEnv *env, jobject self)
{
    (void) self;
    struct rdma_event_channel *channel = rdma_create_event_channel();
    if (channel == NULL) {
        throw_errno(env, "No event channel of the connection manager", errno);
        return -1;
    }
    int flags = fcntl(channel->fd, F_GETFL);
    if (flags < 0 || fcntl(channel->fd, F_SETFL, flags | O_NONBLOCK) < 0) {
        int error = errno;
        rdma_destroy_event_channel(channel);
        throw_errno(env, "The event channel can't be made non-blocking", error);
        return -1;
    }
    return AS_LONG(channel);
}

NATIVE(jint, destroyEventChannel)(JNIEnv *env, jobject self, jlong channel)
{
    (void) env, (void) self;
    if (channel == 0) {
        return -1;
    }
    rdma_destroy_event_channel(HANDLE(struct rdma_event_channel, channel));
    return 0;
}

NATIVE(jlong, createId)(JNIEnv *env, jobject self, jlong channel, jshort port_space)
{
    struct rdma_cm_id *id = NULL;
    (void) self, (void) port_space; /* DiSNI knows reliable connections only */
    if (!usable(env, "No connection without an event channel", channel)) {
        return -1;
    }
    if (rdma_create_id(HANDLE(struct rdma_event_channel, channel), &id, NULL, RDMA_PS_TCP) != 0) {
        throw_errno(env, "No connection can be made", errno);
        return -1;
    }
    return AS_LONG(id);
}

NATIVE(void, bindAddr)(JNIEnv *env, jobject self, jlong id, jlong address)
{
    (void) self;
    if (!usable(env, "bind", id) || !usable(env, "bind without an address", address)) {
        return;
    }
    if (rdma_bind_addr(HANDLE(struct rdma_cm_id, id), HANDLE(struct sockaddr, address)) != 0) {
        throw_errno(env, "The address can't be bound", errno);
    }
}

NATIVE(void, listen)(JNIEnv *env, jobject self, jlong id, jint backlog)
{
    (void) self;
    if (usable(env, "listen", id) && rdma_listen(HANDLE(struct rdma_cm_id, id), backlog) != 0) {
        throw_errno(env, "Can't listen", errno);
    }
}

NATIVE(void, resolveAddr)
(JNIEnv *env, jobject self, jlong id, jlong source, jlong target, jint milliseconds)
{
    (void) self;
    if (!usable(env, "resolve an address", id) || !usable(env, "resolve no address", target)) {
        return;
    }
    if (rdma_resolve_addr(
                HANDLE(struct rdma_cm_id, id),
                HANDLE(struct sockaddr, source),
                HANDLE(struct sockaddr, target),
                milliseconds)
            != 0) {
        throw_errno(env, "The address can't be resolved", errno);
    }
}

NATIVE(void, resolveRoute)(JNIEnv *env, jobject self, jlong id, jint milliseconds)
{
    (void) self;
    if (usable(env, "resolve a route", id)
            && rdma_resolve_route(HANDLE(struct rdma_cm_id, id), milliseconds) != 0) {
        throw_errno(env, "The route can't be resolved", errno);
    }
}

NATIVE(jint, getCmEvent)
(JNIEnv *env, jobject self, jlong channel, jlong listening, jlong connection, jint milliseconds)
{
    struct rdma_event_channel *events = HANDLE(struct rdma_event_channel, channel);
    struct rdma_cm_event *event = NULL;
    (void) env, (void) self;
    if (events == NULL || wait_readable(events->fd, milliseconds) <= 0
            || rdma_get_cm_event(events, &event) != 0) {
        return -1;
    }
    if (listening != 0) {
        *HANDLE(int64_t, listening) = event->listen_id != NULL ? AS_LONG(event->listen_id) : -1;
    }
    if (connection != 0) {
        *HANDLE(int64_t, connection) = event->id != NULL ? AS_LONG(event->id) : -1;
    }
    int type = (int) event->event;
    /* An identifier can't be destroyed while one of its events waits to be acknowledged. */
    return rdma_ack_cm_event(event) == 0 ? type : -1;
}

NATIVE(jint, ackCmEvent)(JNIEnv *env, jobject self, jint event)
{
    (void) env, (void) self, (void) event; /* getCmEvent did it */
    return 0;
}

/* As many reads at a time as the device has; one byte each in the handshake. */
static int with_device_limits(
        JNIEnv *env, struct rdma_cm_id *id, jint retries, jint not_ready_retries,
        struct rdma_conn_param *parameters)
{
    struct ibv_device_attr device;
    memset(parameters, 0, sizeof *parameters);
    if (id->verbs == NULL) {
        throw_errno(env, "The connection is not bound to a device", ENODEV);
        return 0;
    }
    int error = ibv_query_device(id->verbs, &device);
    if (error != 0) {
        throw_errno(env, "The device can't be asked for its limits", error > 0 ? error : errno);
        return 0;
    }
    int reads = device.max_qp_rd_atom < 255 ? device.max_qp_rd_atom : 255;
    parameters->initiator_depth = (uint8_t) reads;
    parameters->responder_resources = (uint8_t) reads;
    parameters->retry_count = (uint8_t) retries;
    parameters->rnr_retry_count = (uint8_t) not_ready_retries;
    parameters->flow_control = 1;
    return 1;
}

NATIVE(void, connect)
(JNIEnv *env, jobject self, jlong id, jint retries, jint not_ready_retries, jlong data, jbyte length)
{
    struct rdma_conn_param parameters;
    (void) self;
    if (!usable(env, "connect", id)
            || !with_device_limits(
                    env, HANDLE(struct rdma_cm_id, id), retries, not_ready_retries, &parameters)) {
        return;
    }
    if (data != 0 && length > 0) {
        parameters.private_data = HANDLE(void, data);
        parameters.private_data_len = (uint8_t) length;
    }
    if (rdma_connect(HANDLE(struct rdma_cm_id, id), &parameters) != 0) {
        throw_errno(env, "Can't connect", errno);
    }
}

NATIVE(void, accept)(JNIEnv *env, jobject self, jlong id, jint retries, jint not_ready_retries)
{
    struct rdma_conn_param parameters;
    (void) self;
    if (!usable(env, "accept", id)
            || !with_device_limits(
                    env, HANDLE(struct rdma_cm_id, id), retries, not_ready_retries, &parameters)) {
        return;
    }
    if (rdma_accept(HANDLE(struct rdma_cm_id, id), &parameters) != 0) {
        throw_errno(env, "The connection can't be accepted", errno);
    }
}

NATIVE(jint, disconnect)(JNIEnv *env, jobject self, jlong id)
{
    (void) env, (void) self;
    return id == 0 ? -1 : rdma_disconnect(HANDLE(struct rdma_cm_id, id));
}

NATIVE(jint, destroyCmId)(JNIEnv *env, jobject self, jlong id)
{
    (void) env, (void) self;
    return id == 0 ? -1 : rdma_destroy_id(HANDLE(struct rdma_cm_id, id));
}

NATIVE(jint, destroyEp)(JNIEnv *env, jobject self, jlong id)
{
    (void) env, (void) self;
    if (id == 0) {
        return -1;
    }
    rdma_destroy_ep(HANDLE(struct rdma_cm_id, id));
    return 0;
}

static jint copy_address(const struct sockaddr *from, jlong to)
{
    if (from == NULL || to == 0 || from->sa_family != AF_INET) {
        return -1;
    }
    memcpy(HANDLE(void, to), from, sizeof(struct sockaddr_in));
    return 0;
}

NATIVE(jint, getSrcAddr)(JNIEnv *env, jobject self, jlong id, jlong address)
{
    (void) env, (void) self;
    return id == 0 ? -1 : copy_address(rdma_get_local_addr(HANDLE(struct rdma_cm_id, id)), address);
}

NATIVE(jint, getDstAddr)(JNIEnv *env, jobject self, jlong id, jlong address)
{
    (void) env, (void) self;
    return id == 0 ? -1 : copy_address(rdma_get_peer_addr(HANDLE(struct rdma_cm_id, id)), address);
}

NATIVE(jlong, getContext)(JNIEnv *env, jobject self, jlong id)
{
    if (!usable(env, "The device of no connection", id)) {
        return -1;
    }
    (void) self;
    struct ibv_context *device = HANDLE(struct rdma_cm_id, id)->verbs;
    return device == NULL ? -1 : AS_LONG(device);
}

NATIVE(jlong, createQP)
(JNIEnv *env, jobject self, jlong id, jlong domain, jlong send_queue, jlong receive_queue, jint type,
 jint max_send, jint max_receive, jint max_inline)
{
    (void) self;
    if (!usable(env, "A queue pair without a connection", id)) {
        return -1;
    }
    struct rdma_cm_id *connection = HANDLE(struct rdma_cm_id, id);
    struct ibv_qp_init_attr wanted = {
        .send_cq = HANDLE(struct ibv_cq, send_queue),
        .recv_cq = HANDLE(struct ibv_cq, receive_queue),
        .qp_type = (enum ibv_qp_type) type,
        .cap = {
            .max_send_wr = (uint32_t) max_send,
            .max_recv_wr = (uint32_t) max_receive,
            .max_send_sge = 4,
            .max_recv_sge = 4,
            .max_inline_data = (uint32_t) max_inline,
        },
    };
    if (rdma_create_qp(connection, HANDLE(struct ibv_pd, domain), &wanted) != 0) {
        throw_errno(env, "No queue pair can be made", errno);
        return -1;
    }
    return AS_LONG(connection->qp);
}

NATIVE(jint, destroyQP)(JNIEnv *env, jobject self, jlong id)
{
    (void) env, (void) self;
    if (id == 0 || HANDLE(struct rdma_cm_id, id)->qp == NULL) {
        return -1;
    }
    rdma_destroy_qp(HANDLE(struct rdma_cm_id, id));
    return 0;
}
