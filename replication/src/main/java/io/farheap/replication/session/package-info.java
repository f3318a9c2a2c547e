/**
 * One replica, reached through its agent: greeting and verdict, data connection, image bytes in
 * bulk and their checksums.
 */
package io.farheap.replication.session;
