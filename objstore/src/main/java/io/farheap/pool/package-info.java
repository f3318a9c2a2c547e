/**
 * The files of a pool: created, opened, locked, mapped into one image per local replica, validated.
 * What lies in the image beyond headers and descriptor (lanes, heap) is nobody's business here.
 */
package io.farheap.pool;
