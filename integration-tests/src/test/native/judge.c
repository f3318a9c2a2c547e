/*
 * The independent judge: libpmemobj itself says what a pool holds, changes it, and dies in it.
 *
 *   judge check POOL                    "consistent" or "inconsistent"
 *   judge list POOL                     root and every object, in the library's order
 *   judge work POOL SEED STEPS          random committed transactions
 *   judge die POOL SEED STEPS           the same, then exit inside an open transaction
 *
 * Lines of list: "root OFFSET SIZE", then "object OFFSET TYPE USABLE CRC32".
 * Every object that work and die touch keeps the rule the Java side keeps too: its first 8 bytes
 * are a seed and all bytes after them follow from it (see fill).
 */
#include <inttypes.h>
#include <libpmemobj.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
	printf("root %" PRIu64 " %zu\n", root.off, root_size);
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
	switch (OID_IS_NULL(victim) ? 0 : next_random() % 5) {
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
	}
}

static int
work(PMEMobjpool *pool, int steps, int die)
{
	for (int i = 0; i < steps; i++) {
		TX_BEGIN(pool) {
			step(pool);
		} TX_ONABORT {
			fprintf(stderr, "transaction aborted: %s\n", pmemobj_errormsg());
			exit(2);
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
		fprintf(stderr, "usage: judge check|list|work|die POOL [SEED STEPS]\n");
		return 2;
	}
	if (strcmp(argv[1], "check") == 0) {
		int result = pmemobj_check(argv[2], NULL);
		puts(result == 1 ? "consistent" : "inconsistent");
		if (result != 1)
			fprintf(stderr, "%s\n", pmemobj_errormsg());
		return result == 1 ? 0 : 1;
	}
	PMEMobjpool *pool = pmemobj_open(argv[2], NULL);
	if (pool == NULL)
		return fail("open");
	int result = 0;
	if (strcmp(argv[1], "list") == 0) {
		result = list(pool);
	} else if (argc == 5) {
		state = strtoull(argv[3], NULL, 10) | 1;
		result = work(pool, atoi(argv[4]), strcmp(argv[1], "die") == 0);
	} else {
		result = 2;
	}
	pmemobj_close(pool);
	return result;
}
