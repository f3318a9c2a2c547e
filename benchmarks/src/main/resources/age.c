/*
 * AgedHeap.java on libpmemobj: the same objects of mixed sizes come and go in a pool that is kept
 * as full as it is told, by atomic allocations.
 *
 *   age POOL MEBIBYTES OPERATIONS PERCENT
 *
 * Prints "refused COUNT", "live BYTES" (the mean over all operations), "fits BYTES" (what is live
 * when it is filled up at the end) and a line "NANOSECONDS" for each operation in 64.
 */
#include <libpmemobj.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LAYOUT "benchmark"
#define TYPE 1
#define EVERY 64
#define SMALLEST 6 /* 64 bytes */
#define DOUBLINGS 9 /* to 32 KiB */

static uint64_t seed = 88172645463325252ULL;

static uint64_t
next(uint64_t bound)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 1) % bound;
}

static uint64_t
size(void)
{
	uint64_t least = 1ULL << (SMALLEST + next(DOUBLINGS));
	return least + next(least);
}

static long
now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000L + time.tv_nsec;
}

int
main(int count, char **words)
{
	if (count != 5) {
		fprintf(stderr, "age POOL MEBIBYTES OPERATIONS PERCENT\n");
		return 2;
	}
	uint64_t bytes = strtoull(words[2], NULL, 10) << 20;
	long operations = atol(words[3]);
	uint64_t most = bytes / 100 * strtoull(words[4], NULL, 10);
	PMEMobjpool *pool = pmemobj_create(words[1], LAYOUT, bytes, 0600);
	if (pool == NULL) {
		fprintf(stderr, "%s: %s\n", words[1], pmemobj_errormsg());
		return 1;
	}
	uint64_t places = bytes / 64;
	PMEMoid *objects = calloc(places, sizeof(PMEMoid));
	uint64_t *sizes = calloc(places, sizeof(uint64_t));
	uint64_t live = 0, used = 0, refused = 0;
	double sum = 0;
	int full = 0; /* the last one was refused: one goes before the next comes */
	for (long i = 0; i < operations; i++) {
		uint64_t wanted = size();
		long begin = i % EVERY == 0 ? now() : 0;
		if (!full && live + wanted <= most) {
			if (pmemobj_alloc(pool, &objects[used], wanted, TYPE, NULL, NULL) == 0) {
				sizes[used++] = wanted;
				live += wanted;
			} else {
				refused++;
				full = 1;
			}
		} else {
			full = 0;
			uint64_t which = next(used);
			pmemobj_free(&objects[which]);
			live -= sizes[which];
			used--;
			objects[which] = objects[used];
			sizes[which] = sizes[used];
		}
		if (begin)
			printf("%ld\n", now() - begin);
		sum += live;
	}
	printf("refused %lu\n", refused);
	printf("live %.0f\n", sum / operations);
	for (int failed = 0; failed < 1000; ) {
		uint64_t wanted = size();
		if (pmemobj_alloc(pool, &objects[used], wanted, TYPE, NULL, NULL) == 0) {
			sizes[used++] = wanted;
			live += wanted;
		} else {
			failed++;
		}
	}
	printf("fits %lu\n", live);
	pmemobj_close(pool);
	return 0;
}
