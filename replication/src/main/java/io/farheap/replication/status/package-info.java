/** How the replicas of an open pool are, told by its program to whoever looks from outside. */
package io.farheap.replication.status;
