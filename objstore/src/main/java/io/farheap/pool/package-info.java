/**
 * The files of a pool: created, opened, locked, mapped into one image per local replica, validated.
 * This package does not interpret the image beyond headers and descriptor.
 */
package io.farheap.pool;
