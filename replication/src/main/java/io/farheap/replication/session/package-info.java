/**
 * The session with one replica, through its agent: greeting and verdict, data connection, transfer
 * and checksums of image bytes.
 */
package io.farheap.replication.session;
