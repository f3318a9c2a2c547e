/** Backups of pools, and pools made from them (docs/backup.md). */
package io.farheap.tools.backup;
