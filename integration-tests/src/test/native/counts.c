/*
 * How often libpmemobj flushes and fences, by operation:
 *
 *   counts POOL
 *
 * Makes POOL and prints one line for each operation: "NAME FLUSHES LINES FENCES". LINES are the
 * cache lines of 64 bytes that the flushes cover. Each operation was done before, so that runs,
 * log extensions and the like are there. The Java side does the same: FlushCountsTest.
 */
#include <dlfcn.h>
#include <libpmem.h>
#include <libpmemobj.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TYPE 7
#define HUGE (262144 - 16)

static long flushes, lines, fences;

/* libpmem's functions call each other: only what libpmemobj asks for counts. */
static int inside;

/* What libpmemobj calls instead of libpmem: a program's own functions come first. */
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void
flushed(const void *addr, size_t len)
{
	uintptr_t start = (uintptr_t)addr;
	if (len == 0 || inside)
		return;
	flushes++;
	lines += (long)(((start + len + 63) >> 6) - (start >> 6));
}

static void
fenced(void)
{
	if (!inside)
		fences++;
}

void
pmem_persist(const void *addr, size_t len)
{
	flushed(addr, len);
	fenced();
	inside++;
	REAL(pmem_persist)(addr, len);
	inside--;
}

void
pmem_flush(const void *addr, size_t len)
{
	flushed(addr, len);
	inside++;
	REAL(pmem_flush)(addr, len);
	inside--;
}

void
pmem_drain(void)
{
	fenced();
	inside++;
	REAL(pmem_drain)();
	inside--;
}

/* Copies are flushed and fenced unless the flags say otherwise. */
static void
stored(const void *addr, size_t len, unsigned flags)
{
	if (flags & PMEM_F_MEM_NOFLUSH)
		return;
	flushed(addr, len);
	if (!(flags & PMEM_F_MEM_NODRAIN))
		fenced();
}

void *
pmem_memcpy(void *dest, const void *src, size_t len, unsigned flags)
{
	stored(dest, len, flags);
	inside++;
	void *result = REAL(pmem_memcpy)(dest, src, len, flags);
	inside--;
	return result;
}

void *
pmem_memmove(void *dest, const void *src, size_t len, unsigned flags)
{
	stored(dest, len, flags);
	inside++;
	void *result = REAL(pmem_memmove)(dest, src, len, flags);
	inside--;
	return result;
}

void *
pmem_memset(void *dest, int c, size_t len, unsigned flags)
{
	stored(dest, len, flags);
	inside++;
	void *result = REAL(pmem_memset)(dest, c, len, flags);
	inside--;
	return result;
}

TOID_DECLARE(struct element, 9);

struct element {
	POBJ_LIST_ENTRY(struct element) entry;
	char bytes[64];
};

struct root {
	char bytes[8192];
	PMEMoid object;
	PMEMoid other;
	POBJ_LIST_HEAD(head, struct element) list;
	POBJ_LIST_HEAD(second_head, struct element) second;
};

static PMEMobjpool *pool;
static PMEMoid root_oid;
static struct root *root;
static PMEMoid extra;

static void
fail(void)
{
	fprintf(stderr, "%s\n", pmemobj_errormsg());
	exit(1);
}

static void
ranges(int count, size_t bytes)
{
	TX_BEGIN(pool) {
		for (int i = 0; i < count; i++) {
			pmemobj_tx_add_range(root_oid, 128 * (size_t)i, bytes);
			memset(root->bytes + 128 * i, i + 1, bytes);
		}
	} TX_ONABORT {
		fail();
	} TX_END
}

static void tx_1_range(void) { ranges(1, 64); }
static void tx_4_ranges(void) { ranges(4, 64); }
static void tx_16_ranges(void) { ranges(16, 64); }
static void tx_4_kib(void) { ranges(1, 4096); }

static void
tx_nothing(void)
{
	TX_BEGIN(pool) {
	} TX_END
}

static void
tx_abort(void)
{
	TX_BEGIN(pool) {
		pmemobj_tx_add_range(root_oid, 0, 64);
		memset(root->bytes, 3, 64);
		pmemobj_tx_abort(1);
	} TX_END
}

static void
tx_allocate(void)
{
	TX_BEGIN(pool) {
		extra = pmemobj_tx_alloc(128, TYPE);
	} TX_ONABORT {
		fail();
	} TX_END
}

static void
tx_free(void)
{
	TX_BEGIN(pool) {
		pmemobj_tx_free(extra);
	} TX_ONABORT {
		fail();
	} TX_END
}

static void
tx_allocate_and_free(void)
{
	PMEMoid gone = extra;
	TX_BEGIN(pool) {
		extra = pmemobj_tx_alloc(128, TYPE);
		pmemobj_tx_free(gone);
	} TX_ONABORT {
		fail();
	} TX_END
}

static void
tx_allocate_and_link(void)
{
	TX_BEGIN(pool) {
		PMEMoid fresh = pmemobj_tx_zalloc(128, TYPE);
		pmemobj_tx_add_range_direct(&root->object, 16);
		root->object = fresh;
	} TX_ONABORT {
		fail();
	} TX_END
}

static void
tx_unlink_and_free(void)
{
	TX_BEGIN(pool) {
		pmemobj_tx_free(root->object);
		pmemobj_tx_add_range_direct(&root->object, 16);
		root->object = OID_NULL;
	} TX_ONABORT {
		fail();
	} TX_END
}

static void
tx_reallocate(void)
{
	TX_BEGIN(pool) {
		extra = pmemobj_tx_realloc(extra, 500, TYPE);
	} TX_ONABORT {
		fail();
	} TX_END
}

static void
allocate(PMEMoid *to, size_t size)
{
	if (pmemobj_alloc(pool, to, size, TYPE, NULL, NULL) != 0)
		fail();
}

static void atomic_allocate(void) { allocate(&root->object, 128); }
static void atomic_free(void) { pmemobj_free(&root->object); }
static void atomic_allocate_alone(void) { allocate(&extra, 128); }
static void atomic_free_alone(void) { pmemobj_free(&extra); }
static void huge_allocate(void) { allocate(&root->other, HUGE); }
static void huge_free(void) { pmemobj_free(&root->other); }

static void
atomic_zallocate(void)
{
	if (pmemobj_zalloc(pool, &root->object, 128, TYPE) != 0)
		fail();
}

static void
atomic_reallocate(void)
{
	if (pmemobj_realloc(pool, &root->object, 500, TYPE) != 0)
		fail();
}

static void
duplicate(void)
{
	if (pmemobj_strdup(pool, &root->object, "a short text", TYPE) != 0)
		fail();
}

static void
publish(void)
{
	struct pobj_action actions[3];
	PMEMoid fresh = pmemobj_reserve(pool, &actions[0], 128, TYPE);
	memset(pmemobj_direct(fresh), 1, 128);
	pmemobj_persist(pool, pmemobj_direct(fresh), 128);
	pmemobj_set_value(pool, &actions[1], &root->object.off, fresh.off);
	pmemobj_set_value(pool, &actions[2], &root->object.pool_uuid_lo, fresh.pool_uuid_lo);
	if (pmemobj_publish(pool, actions, 3) != 0)
		fail();
}

static void
insert(PMEMoid dest)
{
	if (pmemobj_list_insert(pool, offsetof(struct element, entry), &root->list, dest,
			POBJ_LIST_DEST_TAIL, root->other) != 0)
		fail();
}

static void list_insert(void) { insert(OID_NULL); }

static void
list_insert_new(void)
{
	extra = pmemobj_list_insert_new(pool, offsetof(struct element, entry), &root->list,
			OID_NULL, POBJ_LIST_DEST_TAIL, sizeof(struct element), 9, NULL, NULL);
	if (OID_IS_NULL(extra))
		fail();
}

static void
list_move(void)
{
	if (pmemobj_list_move(pool, offsetof(struct element, entry), &root->list,
			offsetof(struct element, entry), &root->second, OID_NULL,
			POBJ_LIST_DEST_TAIL, root->other) != 0)
		fail();
}

static void
list_remove(void)
{
	if (pmemobj_list_remove(pool, offsetof(struct element, entry), &root->second, root->other,
			0) != 0)
		fail();
}

static void
list_remove_and_free(void)
{
	if (pmemobj_list_remove(pool, offsetof(struct element, entry), &root->list, extra, 1) != 0)
		fail();
}

static const struct {
	const char *name;
	void (*run)(void);
} operations[] = {
	{"tx-nothing", tx_nothing},
	{"tx-1-range-of-64", tx_1_range},
	{"tx-4-ranges-of-64", tx_4_ranges},
	{"tx-16-ranges-of-64", tx_16_ranges},
	{"tx-4-KiB", tx_4_kib},
	{"tx-abort", tx_abort},
	{"tx-allocate", tx_allocate},
	{"tx-allocate-and-free", tx_allocate_and_free},
	{"tx-reallocate", tx_reallocate},
	{"tx-free", tx_free},
	{"tx-allocate-and-link", tx_allocate_and_link},
	{"tx-unlink-and-free", tx_unlink_and_free},
	{"atomic-allocate-alone", atomic_allocate_alone},
	{"atomic-free-alone", atomic_free_alone},
	{"atomic-allocate", atomic_allocate},
	{"atomic-reallocate", atomic_reallocate},
	{"atomic-free", atomic_free},
	{"atomic-allocate-zeroed", atomic_zallocate},
	{"atomic-free-again", atomic_free},
	{"atomic-duplicate", duplicate},
	{"atomic-free-text", atomic_free},
	{"publish", publish},
	{"atomic-free-published", atomic_free},
	{"huge-allocate", huge_allocate},
	{"huge-free", huge_free},
	{"list-element", huge_allocate},
	{"list-insert-new", list_insert_new},
	{"list-insert", list_insert},
	{"list-move", list_move},
	{"list-remove", list_remove},
	{"list-remove-and-free", list_remove_and_free},
	{"list-free-element", huge_free},
};

int
main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: counts POOL\n");
		return 2;
	}
	pool = pmemobj_create(argv[1], "counts", 16 << 20, 0600);
	if (pool == NULL)
		fail();
	root_oid = pmemobj_root(pool, sizeof(struct root));
	root = pmemobj_direct(root_oid);
	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++) {
			flushes = lines = fences = 0;
			operations[i].run();
			if (round == 2)
				printf("%s %ld %ld %ld\n", operations[i].name, flushes, lines, fences);
		}
	}
	pmemobj_close(pool);
	return 0;
}
