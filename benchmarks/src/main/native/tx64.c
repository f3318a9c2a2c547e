/*
 * libpmemobj's own time for what farheap's LocalCommit measures: one transaction that snapshots
 * 64 bytes of the root object, stores them and commits.
 *
 *   tx64 POOL WARMUP COUNT
 *
 * Prints "p50 NS p99 NS mean NS". POOL is made by pmempool create and must exist.
 */
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

static int
compare(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;
	return (x > y) - (x < y);
}

int
main(int argc, char **argv)
{
	if (argc != 4) {
		fprintf(stderr, "usage: tx64 POOL WARMUP COUNT\n");
		return 2;
	}
	PMEMobjpool *pool = pmemobj_open(argv[1], NULL);
	if (pool == NULL) {
		fprintf(stderr, "%s\n", pmemobj_errormsg());
		return 1;
	}
	PMEMoid root = pmemobj_root(pool, 4096);
	char *bytes = pmemobj_direct(root);
	long warmup = atol(argv[2]), count = atol(argv[3]), total = 0;
	long *times = malloc(count * sizeof(long));
	for (long i = -warmup; i < count; i++) {
		long start = now();
		TX_BEGIN(pool) {
			pmemobj_tx_add_range(root, 0, 64);
			memset(bytes, (int)i, 64);
		} TX_END
		long time = now() - start;
		if (i >= 0) {
			times[i] = time;
			total += time;
		}
	}
	qsort(times, count, sizeof(long), compare);
	printf("p50 %ld p99 %ld mean %ld\n", times[count / 2], times[count * 99 / 100], total / count);
	free(times);
	pmemobj_close(pool);
	return 0;
}
