/*
 * The independent judge: libpmemobj itself says what a pool holds, changes it, and dies in it.
 *
 *   judge check POOL                    "consistent" or "inconsistent"
 *   judge list POOL                     root and every object, in the library's order
 *   judge work POOL SEED STEPS          random committed transactions
 *   judge die POOL SEED STEPS           the same, then exit inside an open transaction
 *   judge halt POOL SEED STEPS COUNT    the same as work, but exit with 7 after libpmemobj's
 *                                       COUNTth store, flush or drain through libpmem
 *
 * Lines of list: "root OFFSET SIZE CRC32", then "object OFFSET TYPE USABLE CRC32".
 * Every object that work and die touch keeps the rule the Java side keeps too: its first 8 bytes
 * are a seed and all bytes after them follow from it (see fill).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <libpmem.h>
#include <libpmemobj.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HALTED 7
#define MANY 60

/* Steps that libpmemobj may still take; 0: as many as it likes. */
static long steps_left;

static void
stepped(void)
{
	if (steps_left > 0 && --steps_left == 0)
		_exit(HALTED);
}

/*
 * What libpmemobj calls instead of libpmem: a program's own functions come first. Here they are
 * libpmem's, and counted.
 */
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

void
pmem_persist(const void *addr, size_t len)
{
	REAL(pmem_persist)(addr, len);
	stepped();
}

void
pmem_flush(const void *addr, size_t len)
{
	REAL(pmem_flush)(addr, len);
	stepped();
}

void
pmem_drain(void)
{
	REAL(pmem_drain)();
	stepped();
}

void *
pmem_memcpy(void *dest, const void *src, size_t len, unsigned flags)
{
	void *result = REAL(pmem_memcpy)(dest, src, len, flags);
	stepped();
	return result;
}

void *
pmem_memset(void *dest, int c, size_t len, unsigned flags)
{
	void *result = REAL(pmem_memset)(dest, c, len, flags);
	stepped();
	return result;
}

static uint64_t state;

static uint64_t
next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static uint32_t
crc32_of(const unsigned char *data, size_t length)
{
	uint32_t crc = 0xffffffffu;
	for (size_t i = 0; i < length; i++) {
		crc ^= data[i];
		for (int bit = 0; bit < 8; bit++)
			crc = (crc >> 1) ^ (0xedb88320u & (0u - (crc & 1)));
	}
	return ~crc;
}

static void
fill(void *object, size_t length, uint64_t seed)
{
	unsigned char *bytes = object;
	if (length >= 8)
		memcpy(bytes, &seed, 8);
	for (size_t i = 8; i < length; i++)
		bytes[i] = (unsigned char)(seed * 31 + i * 7 + (i >> 8));
}

static size_t
random_size(void)
{
	switch (next_random() % 8) {
	case 0: return 8 + next_random() % 56;
	case 1: return 64 + next_random() % 960;
	case 2: return 1024 + next_random() % 7000;
	case 3: return 8192 + next_random() % 60000;
	case 4: return next_random() % 4 ? 200 + next_random() % 300 : 262128;
	default: return 100 + next_random() % 400;
	}
}

static int
fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, pmemobj_errormsg());
	return 2;
}

static int
list(PMEMobjpool *pool)
{
	size_t root_size = pmemobj_root_size(pool);
	PMEMoid root = OID_NULL;
	if (root_size)
		root = pmemobj_root(pool, root_size);
	printf("root %" PRIu64 " %zu %08x\n", root.off, root_size,
		root_size ? crc32_of(pmemobj_direct(root), root_size) : 0);
	for (PMEMoid o = pmemobj_first(pool); !OID_IS_NULL(o); o = pmemobj_next(o)) {
		size_t usable = pmemobj_alloc_usable_size(o);
		printf("object %" PRIu64 " %" PRIu64 " %zu %08x\n", o.off, pmemobj_type_num(o), usable,
			crc32_of(pmemobj_direct(o), usable));
	}
	return 0;
}

static PMEMoid
random_object(PMEMobjpool *pool)
{
	size_t count = 0;
	for (PMEMoid o = pmemobj_first(pool); !OID_IS_NULL(o); o = pmemobj_next(o))
		count++;
	if (count == 0)
		return OID_NULL;
	size_t chosen = next_random() % count;
	PMEMoid o = pmemobj_first(pool);
	while (chosen--)
		o = pmemobj_next(o);
	return o;
}

/* One step inside the open transaction; allocation failures just end the step. */
static void
step(PMEMobjpool *pool)
{
	PMEMoid victim = random_object(pool);
	uint64_t seed = next_random();
	switch (OID_IS_NULL(victim) ? 0 : next_random() % 6) {
	case 0:
	case 1: {
		size_t size = random_size();
		PMEMoid o = pmemobj_tx_xalloc(size, 1 + seed % 5, POBJ_XALLOC_NO_ABORT);
		if (!OID_IS_NULL(o))
			fill(pmemobj_direct(o), pmemobj_alloc_usable_size(o), seed);
		break;
	}
	case 2:
		pmemobj_tx_free(victim);
		break;
	case 3: {
		size_t usable = pmemobj_alloc_usable_size(victim);
		pmemobj_tx_add_range(victim, 0, usable);
		fill(pmemobj_direct(victim), usable, seed);
		break;
	}
	case 4: {
		size_t size = random_size();
		PMEMoid o = pmemobj_tx_xalloc(size, pmemobj_type_num(victim), POBJ_XALLOC_NO_ABORT);
		if (!OID_IS_NULL(o)) {
			fill(pmemobj_direct(o), pmemobj_alloc_usable_size(o), seed);
			pmemobj_tx_free(victim);
		}
		break;
	}
	case 5: {
		/* Sometimes more than the lane's redo log takes, so that it needs an extension. */
		int count = next_random() % 8 == 0 ? MANY : 3;
		for (int i = 0; i < count; i++) {
			PMEMoid o = pmemobj_tx_xalloc(40, 1 + i % 5, POBJ_XALLOC_NO_ABORT);
			if (!OID_IS_NULL(o))
				fill(pmemobj_direct(o), pmemobj_alloc_usable_size(o), seed + i);
		}
		break;
	}
	}
}

static int
work(PMEMobjpool *pool, int steps, int die)
{
	for (int i = 0; i < steps; i++) {
		TX_BEGIN(pool) {
			step(pool);
		} TX_ONABORT {
			/* A full pool is a state like others. */
			if (pmemobj_tx_errno() != ENOMEM) {
				fprintf(stderr, "transaction aborted: %s\n", pmemobj_errormsg());
				exit(2);
			}
		} TX_END
	}
	if (die) {
		TX_BEGIN(pool) {
			for (int i = 0; i < 3; i++)
				step(pool);
			_exit(0);
		} TX_END
	}
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: judge check|list|work|die|halt POOL [SEED STEPS [COUNT]]\n");
		return 2;
	}
	if (strcmp(argv[1], "check") == 0) {
		int result = pmemobj_check(argv[2], NULL);
		puts(result == 1 ? "consistent" : "inconsistent");
		if (result != 1)
			fprintf(stderr, "%s\n", pmemobj_errormsg());
		return result == 1 ? 0 : 1;
	}
	if (argc == 6)
		steps_left = atol(argv[5]);
	PMEMobjpool *pool = pmemobj_open(argv[2], NULL);
	if (pool == NULL)
		return fail("open");
	int result = 0;
	if (strcmp(argv[1], "list") == 0) {
		result = list(pool);
	} else if (argc >= 5) {
		state = strtoull(argv[3], NULL, 10) | 1;
		result = work(pool, atoi(argv[4]), strcmp(argv[1], "die") == 0);
	} else {
		result = 2;
	}
	pmemobj_close(pool);
	return result;
}
