/*
 * The hash map of RawHashMap.java on libpmemobj: the same layout, the same steps, each operation
 * one transaction, get without one, all of them under the lock of the key's stripe.
 *
 *   map POOL THREADS ENTRIES WARMUP ROUNDS
 *   map POOL turns ENTRIES
 *
 * A round puts, updates, gets and removes ENTRIES entries, each thread its share of them. Prints
 * a line "OPERATION NANOSECONDS" for each operation of the ROUNDS that follow WARMUP others. POOL
 * is a pool file or a poolset file; what it names is made when it is missing.
 *
 * In turns: carries out what it is told by lines "OPERATION FIRST BATCHES COUNT STRIDE", of the
 * entries FIRST * STRIDE, (FIRST + 1) * STRIDE, … modulo ENTRIES, and prints how many nanoseconds
 * each of the BATCHES of COUNT operations took.
 */
#include <errno.h>
#include <libpmemobj.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LAYOUT "benchmark"
#define POOL_BYTES (128L << 20)
#define BYTES_PER_ENTRY 512
#define LEAST_BUCKET_BITS 17
#define STRIPES 64
#define TYPE 1
#define VALUE_BYTES 64
#define MAX_THREADS 8

struct entry {
	PMEMoid next;
	uint64_t key;
	char value[VALUE_BYTES];
};

enum operation { PUT, UPDATE, GET, REMOVE, OPERATIONS };

static const char *const names[] = {"put", "update", "get", "remove"};

struct worker {
	pthread_t thread;
	long first;
	long *times[OPERATIONS];
	pthread_barrier_t *start;
};

static PMEMobjpool *pool;
static PMEMoid table;
static pthread_mutex_t locks[STRIPES];
static long threads, entries, warmup, rounds;
static int bucket_bits = LEAST_BUCKET_BITS;

static long
now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000L + time.tv_nsec;
}

static void
fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, pmemobj_errormsg());
	exit(1);
}

static uint64_t
bucket(uint64_t key)
{
	return key * 0x9E3779B97F4A7C15UL >> (64 - bucket_bits);
}

/* Where the link to the key's entry lies: in the table, or in the entry before it. */
static PMEMoid *
find(uint64_t key)
{
	PMEMoid *link = (PMEMoid *)pmemobj_direct(table) + bucket(key);
	while (!OID_IS_NULL(*link)) {
		struct entry *entry = pmemobj_direct(*link);
		if (entry->key == key)
			break;
		link = &entry->next;
	}
	return link;
}

static void
put(uint64_t key, const char *value)
{
	PMEMoid *link = find(key);
	TX_BEGIN(pool) {
		if (OID_IS_NULL(*link)) {
			PMEMoid fresh = pmemobj_tx_alloc(sizeof(struct entry), TYPE);
			struct entry *entry = pmemobj_direct(fresh);
			entry->next = OID_NULL;
			entry->key = key;
			memcpy(entry->value, value, VALUE_BYTES);
			pmemobj_tx_add_range_direct(link, sizeof(*link));
			*link = fresh;
		} else {
			struct entry *entry = pmemobj_direct(*link);
			pmemobj_tx_add_range_direct(entry->value, VALUE_BYTES);
			memcpy(entry->value, value, VALUE_BYTES);
		}
	} TX_ONABORT {
		fail("put");
	} TX_END
}

static void
get(uint64_t key, char *value)
{
	PMEMoid *link = find(key);
	if (OID_IS_NULL(*link)) {
		fprintf(stderr, "get: key %lu is missing\n", key);
		exit(1);
	}
	memcpy(value, ((struct entry *)pmemobj_direct(*link))->value, VALUE_BYTES);
}

static void
take(uint64_t key)
{
	PMEMoid *link = find(key);
	TX_BEGIN(pool) {
		PMEMoid gone = *link;
		PMEMoid next = ((struct entry *)pmemobj_direct(gone))->next;
		pmemobj_tx_add_range_direct(link, sizeof(*link));
		*link = next;
		pmemobj_tx_free(gone);
	} TX_ONABORT {
		fail("remove");
	} TX_END
}

static void
once(enum operation operation, uint64_t key, char *value)
{
	pthread_mutex_t *lock = &locks[bucket(key) % STRIPES];
	pthread_mutex_lock(lock);
	switch (operation) {
	case PUT:
	case UPDATE:
		put(key, value);
		break;
	case GET:
		get(key, value);
		break;
	default:
		take(key);
		break;
	}
	pthread_mutex_unlock(lock);
}

static void *
run(void *argument)
{
	struct worker *w = argument;
	char value[VALUE_BYTES] = "";
	for (long round = -warmup; round < rounds; round++) {
		for (int operation = 0; operation < OPERATIONS; operation++) {
			long *times = w->times[operation];
			pthread_barrier_wait(w->start);
			for (long i = w->first; i < entries; i += threads) {
				uint64_t key = (uint64_t)i * 0xD1342543DE82EF95UL;
				if (operation != GET)
					memcpy(value, &i, sizeof(i));
				long start = now();
				once(operation, key, value);
				long time = now() - start;
				if (round >= 0)
					times[round * entries + i] = time;
			}
		}
	}
	return NULL;
}

static void
take_turns(void)
{
	char name[16];
	long first, batches, count, stride;
	char value[VALUE_BYTES] = "";
	while (scanf("%15s %ld %ld %ld %ld", name, &first, &batches, &count, &stride) == 5) {
		int operation = 0;
		while (operation < OPERATIONS && strcmp(name, names[operation]) != 0)
			operation++;
		if (operation == OPERATIONS) {
			fprintf(stderr, "no operation %s\n", name);
			exit(2);
		}
		for (; batches > 0; batches--, first += count) {
			long start = now();
			for (long i = first; i < first + count; i++)
				once(operation, i * stride % entries * 0xD1342543DE82EF95UL, value);
			printf("%ld\n", now() - start);
		}
		fflush(stdout);
	}
}

int
main(int argc, char **argv)
{
	int turns = argc == 4 && strcmp(argv[2], "turns") == 0;
	threads = argc == 6 ? atol(argv[2]) : 0;
	if (!turns && (threads < 1 || threads > MAX_THREADS)) {
		fprintf(stderr, "usage: map POOL THREADS ENTRIES WARMUP ROUNDS\n"
				"       map POOL turns ENTRIES\n");
		return 2;
	}
	entries = atol(argv[3]);
	while (1L << bucket_bits < entries)
		bucket_bits++;
	long bytes = entries * BYTES_PER_ENTRY;
	if (bytes < POOL_BYTES)
		bytes = POOL_BYTES;
	warmup = turns ? 0 : atol(argv[4]);
	rounds = turns ? 0 : atol(argv[5]);
	pool = pmemobj_open(argv[1], LAYOUT);
	if (pool == NULL && errno == ENOENT)
		pool = pmemobj_create(argv[1], LAYOUT, strstr(argv[1], ".set") ? 0 : bytes, 0600);
	if (pool == NULL)
		fail(argv[1]);
	table = pmemobj_root(pool, sizeof(PMEMoid) << bucket_bits);
	for (int i = 0; i < STRIPES; i++)
		pthread_mutex_init(&locks[i], NULL);
	if (turns) {
		take_turns();
		pmemobj_close(pool);
		return 0;
	}
	long *times[OPERATIONS];
	for (int i = 0; i < OPERATIONS; i++)
		times[i] = calloc(rounds * entries, sizeof(long));
	struct worker workers[MAX_THREADS];
	pthread_barrier_t start;
	pthread_barrier_init(&start, NULL, threads);
	for (int t = 0; t < threads; t++) {
		workers[t].first = t;
		workers[t].start = &start;
		memcpy(workers[t].times, times, sizeof(times));
		pthread_create(&workers[t].thread, NULL, run, &workers[t]);
	}
	for (int t = 0; t < threads; t++)
		pthread_join(workers[t].thread, NULL);
	for (int operation = 0; operation < OPERATIONS; operation++) {
		for (long i = 0; i < rounds * entries; i++)
			printf("%s %ld\n", names[operation], times[operation][i]);
		free(times[operation]);
	}
	pmemobj_close(pool);
	return 0;
}
