/*
 * RecoveryTimes.java on libpmemobj: opens a pool that was left in the middle of a transaction, which
 * rolls it back.
 *
 *   recovery POOL
 *
 * Prints the time of pmemobj_open in nanoseconds.
 */
#include <libpmemobj.h>
#include <stdio.h>
#include <time.h>

#define LAYOUT "benchmark"

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
	if (argc != 2) {
		fprintf(stderr, "usage: recovery POOL\n");
		return 2;
	}
	long start = now();
	PMEMobjpool *pool = pmemobj_open(argv[1], LAYOUT);
	long time = now() - start;
	if (pool == NULL) {
		fprintf(stderr, "%s\n", pmemobj_errormsg());
		return 1;
	}
	printf("%ld\n", time);
	pmemobj_close(pool);
	return 0;
}
