/**
 * ZooKeeper 3.6 and later as the store, over its plain client: {@code ZooKeeperCoordinator} is the
 * engine, {@code ZooKeeperRequests} tries again what has had no answer, {@code ZooKeeperTry} is one
 * such try, {@code StoreNode} tells one store, and one state of it, from another, {@code
 * SessionContact} since when a session may be over.
 */
package io.farheap.zookeeper;
