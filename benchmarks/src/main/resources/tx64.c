/*
 * libpmemobj's own times for what LocalCommits measures: one transaction that snapshots 64 bytes
 * of the root object, stores them and commits.
 *
 *   tx64 POOL WARMUP COUNT
 *
 * Prints the time of each of COUNT transactions after WARMUP others, in nanoseconds, one a line.
 * POOL is made when it is missing.
 */
#include <errno.h>
#include <libpmemobj.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static long
now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000L + time.tv_nsec;
}

int
main(int argc, char **argv)
{
	if (argc != 4) {
		fprintf(stderr, "usage: tx64 POOL WARMUP COUNT\n");
		return 2;
	}
	PMEMobjpool *pool = pmemobj_open(argv[1], NULL);
	if (pool == NULL && errno == ENOENT)
		pool = pmemobj_create(argv[1], "tx64", 64 << 20, 0600);
	if (pool == NULL) {
		fprintf(stderr, "%s\n", pmemobj_errormsg());
		return 1;
	}
	PMEMoid root = pmemobj_root(pool, 4096);
	char *bytes = pmemobj_direct(root);
	long warmup = atol(argv[2]), count = atol(argv[3]);
	long *times = malloc(count * sizeof(long));
	for (long i = -warmup; i < count; i++) {
		long start = now();
		TX_BEGIN(pool) {
			pmemobj_tx_add_range(root, 0, 64);
			memset(bytes, (int)i, 64);
		} TX_END
		long time = now() - start;
		if (i >= 0)
			times[i] = time;
	}
	for (long i = 0; i < count; i++)
		printf("%ld\n", times[i]);
	free(times);
	pmemobj_close(pool);
	return 0;
}
