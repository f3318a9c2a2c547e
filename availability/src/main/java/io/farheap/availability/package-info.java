/** The record that says who may write a pool: docs/high-availability.md. */
package io.farheap.availability;
