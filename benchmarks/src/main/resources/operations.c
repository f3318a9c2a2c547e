/*
 * libpmemobj's own times for what the Java side measures, one operation again and again:
 *
 *   tx64         a transaction that snapshots 64 bytes and stores them
 *   tx4k         the same with 4096 bytes
 *   txalloc      a transaction that allocates 128 bytes and frees what the one before allocated
 *   atomicalloc  allocates 128 bytes and frees them, without a transaction
 *   persist64    stores 64 bytes and persists them
 *   logged64     persists 64 old bytes in two lines elsewhere, then the new ones, then a word: the
 *                stores of an atomic write without anything that makes one of them
 *
 *   operations OPERATION POOL THREADS WARMUP COUNT
 *
 * Prints the time of each of COUNT operations per thread after WARMUP others, in nanoseconds, one
 * a line. Each thread has an object of its own. POOL is a pool file or a poolset file; what it
 * names is made when it is missing.
 */
#include <errno.h>
#include <libpmemobj.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_THREADS 16
#define OBJECT_BYTES 8192
#define LAYOUT "benchmark"

enum operation { TX64, TX4K, TXALLOC, ATOMICALLOC, PERSIST64, LOGGED64, OPERATIONS };

static const char *const names[] = {"tx64", "tx4k", "txalloc", "atomicalloc", "persist64",
                                    "logged64"};

struct worker {
	pthread_t thread;
	PMEMobjpool *pool;
	enum operation operation;
	PMEMoid root;
	uint64_t offset;
	char *bytes;
	PMEMoid last;
	long warmup;
	long count;
	long *times;
	pthread_barrier_t *start;
};

static long
now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000L + time.tv_nsec;
}

static void
fail(void)
{
	fprintf(stderr, "%s\n", pmemobj_errormsg());
	exit(1);
}

static void
change(struct worker *w, long i, size_t bytes)
{
	TX_BEGIN(w->pool) {
		pmemobj_tx_add_range(w->root, w->offset, bytes);
		memset(w->bytes, (int)i, bytes);
	} TX_ONABORT {
		fail();
	} TX_END
}

static void
exchange(struct worker *w)
{
	PMEMoid last = w->last;
	PMEMoid volatile next = OID_NULL;
	TX_BEGIN(w->pool) {
		next = pmemobj_tx_alloc(128, 1);
		pmemobj_tx_free(last);
	} TX_ONABORT {
		fail();
	} TX_END
	w->last = next;
}

/* In lines of the worker's object that are none of the 64 bytes'. */
static void
logged(struct worker *w, long i)
{
	char *log = (char *)(((uintptr_t)w->bytes + 4096) & ~(uintptr_t)63);
	char *word = log + 2048;
	memcpy(log + 24, w->bytes, 40);
	memcpy(log + 64 + 24, w->bytes + 40, 24);
	pmemobj_persist(w->pool, log, 128);
	memset(w->bytes, (int)i, 64);
	pmemobj_persist(w->pool, w->bytes, 64);
	memcpy(word, &i, sizeof(i));
	pmemobj_persist(w->pool, word, sizeof(i));
}

static void
once(struct worker *w, long i)
{
	PMEMoid object;
	switch (w->operation) {
	case TX64:
		change(w, i, 64);
		break;
	case TX4K:
		change(w, i, 4096);
		break;
	case TXALLOC:
		exchange(w);
		break;
	case ATOMICALLOC:
		if (pmemobj_alloc(w->pool, &object, 128, 1, NULL, NULL) != 0)
			fail();
		pmemobj_free(&object);
		break;
	case LOGGED64:
		logged(w, i);
		break;
	default:
		memset(w->bytes, (int)i, 64);
		pmemobj_persist(w->pool, w->bytes, 64);
		break;
	}
}

static void *
run(void *argument)
{
	struct worker *w = argument;
	pthread_barrier_wait(w->start);
	for (long i = -w->warmup; i < w->count; i++) {
		long start = now();
		once(w, i);
		long time = now() - start;
		if (i >= 0)
			w->times[i] = time;
	}
	if (!OID_IS_NULL(w->last))
		pmemobj_free(&w->last);
	return NULL;
}

int
main(int argc, char **argv)
{
	int operation = 0;
	while (argc == 6 && operation < OPERATIONS && strcmp(argv[1], names[operation]) != 0)
		operation++;
	int threads = argc == 6 ? atoi(argv[3]) : 0;
	if (operation == OPERATIONS || threads < 1 || threads > MAX_THREADS) {
		fprintf(stderr, "usage: operations OPERATION POOL THREADS WARMUP COUNT\n");
		return 2;
	}
	PMEMobjpool *pool = pmemobj_open(argv[2], LAYOUT);
	if (pool == NULL && errno == ENOENT)
		pool = pmemobj_create(argv[2], LAYOUT, strstr(argv[2], ".set") ? 0 : 64 << 20, 0600);
	if (pool == NULL)
		fail();
	PMEMoid root = pmemobj_root(pool, MAX_THREADS * OBJECT_BYTES);
	struct worker workers[MAX_THREADS];
	pthread_barrier_t start;
	pthread_barrier_init(&start, NULL, threads);
	for (int t = 0; t < threads; t++) {
		struct worker *w = &workers[t];
		memset(w, 0, sizeof(*w));
		w->pool = pool;
		w->operation = operation;
		w->root = root;
		w->offset = (uint64_t)t * OBJECT_BYTES;
		w->bytes = (char *)pmemobj_direct(root) + w->offset;
		w->warmup = atol(argv[4]);
		w->count = atol(argv[5]);
		w->times = calloc(w->count, sizeof(long));
		w->start = &start;
		pthread_create(&w->thread, NULL, run, w);
	}
	for (int t = 0; t < threads; t++) {
		pthread_join(workers[t].thread, NULL);
		for (long i = 0; i < workers[t].count; i++)
			printf("%ld\n", workers[t].times[i]);
		free(workers[t].times);
	}
	pmemobj_close(pool);
	return 0;
}
