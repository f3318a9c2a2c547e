/**
 * etcd 3.4 and later as the store, over its JSON gateway: {@code EtcdCoordinator} is the engine,
 * {@code EtcdClient} tries the endpoints, {@code EtcdTransport} sends one request.
 */
package io.farheap.availability.etcd;
