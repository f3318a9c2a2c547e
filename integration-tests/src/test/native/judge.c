/*
 * The independent judge: libpmemobj itself says what a pool holds, changes it, and dies in it.
 *
 *   judge check POOL                    "consistent" or "inconsistent"
 *   judge list POOL                     root and every object, in the library's order
 *   judge work POOL SEED STEPS          random committed transactions
 *   judge die POOL SEED STEPS           the same, then exit inside an open transaction
 *   judge halt POOL SEED STEPS COUNT    the same as work, but exit with 7 after libpmemobj's
 *                                       COUNTth store, flush or drain through libpmem
 *   judge create POOL MIB               a new pool
 *   judge link POOL SEED STEPS [COUNT]  list operations that follow from the seed (see Links.java),
 *                                       under locks in the pool; with COUNT it exits as halt does
 *   judge lists POOL                    "list NAME..." for each of the lists, checked both ways,
 *                                       then "loose NAME..."
 *   judge class POOL UNIT ALIGNMENT UNITS HEADER SIZE TYPE COUNT
 *                                       makes an allocation class (HEADER: legacy, compact, none)
 *                                       and allocates COUNT objects of it: "class ID UNITS", then
 *                                       "object OFFSET" of each, its address checked
 *   judge locks POOL                    "free N" when all N locks in the pool can be taken; then
 *                                       it exits with them taken
 *   judge fill POOL SIZE                allocates objects of SIZE bytes until nothing fits, then of
 *                                       half of it, and so on: "filled COUNT"
 *   judge stages POOL SCRIPT            moves transactions from stage to stage, see stages()
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
#include <stddef.h>
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

/* Types from here on keep rules of their own. */
#define LIST_MEMBER 1000
#define LIST_HOLDER 1001

static PMEMoid
skip_lists(PMEMoid o)
{
	while (!OID_IS_NULL(o) && pmemobj_type_num(o) >= LIST_MEMBER)
		o = pmemobj_next(o);
	return o;
}

static PMEMoid
random_object(PMEMobjpool *pool)
{
	size_t count = 0;
	PMEMoid o;
	for (o = skip_lists(pmemobj_first(pool)); !OID_IS_NULL(o); o = skip_lists(pmemobj_next(o)))
		count++;
	if (count == 0)
		return OID_NULL;
	size_t chosen = next_random() % count;
	o = skip_lists(pmemobj_first(pool));
	while (chosen--)
		o = skip_lists(pmemobj_next(o));
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

/* ---- lists and locks ---- */

#define LISTS 3
#define MOST_MEMBERS 120

struct entry {
	PMEMoid next;
	PMEMoid prev;
};

struct head {
	PMEMoid first;
	PMEMmutex lock;
};

struct member {
	uint64_t name;
	uint64_t unused;
	struct entry entries[2];
	PMEMmutex mutex;
};

struct holder {
	uint64_t unused[2];
	struct head heads[LISTS];
	PMEMrwlock rwlock;
	PMEMcond cond;
	PMEMmutex mutex;
	PMEMvlt(uint64_t) made;
};

/* The third list has its entries elsewhere. */
static const size_t ENTRY[LISTS] = {offsetof(struct member, entries[0]),
	offsetof(struct member, entries[0]), offsetof(struct member, entries[1])};

static struct member *
member(PMEMoid o)
{
	return pmemobj_direct(o);
}

static struct entry *
entry_of(int list, PMEMoid o)
{
	return (struct entry *)((char *)pmemobj_direct(o) + ENTRY[list]);
}

static struct holder *
holder(PMEMobjpool *pool)
{
	PMEMoid o = pmemobj_first(pool);
	while (!OID_IS_NULL(o) && pmemobj_type_num(o) != LIST_HOLDER)
		o = pmemobj_next(o);
	if (OID_IS_NULL(o) && pmemobj_zalloc(pool, &o, sizeof(struct holder), LIST_HOLDER))
		exit(fail("the lists' heads"));
	return pmemobj_direct(o);
}

/* What the lists hold now, and the members in none, by name. */
static PMEMoid members[LISTS + 1][MOST_MEMBERS + 1];
static int counts[LISTS + 1];

static int
by_name(const void *a, const void *b)
{
	uint64_t x = member(*(const PMEMoid *)a)->name;
	uint64_t y = member(*(const PMEMoid *)b)->name;
	return x < y ? -1 : x > y;
}

static void
broken(int list, const char *what)
{
	printf("broken: list %d: %s\n", list, what);
	exit(1);
}

static void
read_list(struct holder *h, int list)
{
	counts[list] = 0;
	PMEMoid first = h->heads[list].first;
	PMEMoid o = first;
	while (!OID_IS_NULL(o)) {
		if (counts[list] > MOST_MEMBERS)
			broken(list, "no end");
		if (pmemobj_type_num(o) != LIST_MEMBER)
			broken(list, "not a member");
		members[list][counts[list]++] = o;
		PMEMoid next = entry_of(list, o)->next;
		if (!OID_EQUALS(entry_of(list, next)->prev, o))
			broken(list, "the next one's previous is another");
		o = OID_EQUALS(next, first) ? OID_NULL : next;
	}
}

static void
read_lists(PMEMobjpool *pool)
{
	struct holder *h = holder(pool);
	for (int list = 0; list < LISTS; list++)
		read_list(h, list);
	counts[LISTS] = 0;
	for (PMEMoid o = pmemobj_first(pool); !OID_IS_NULL(o); o = pmemobj_next(o)) {
		if (pmemobj_type_num(o) != LIST_MEMBER)
			continue;
		int found = 0;
		for (int list = 0; list < LISTS; list++)
			for (int i = 0; i < counts[list]; i++)
				found += OID_EQUALS(members[list][i], o);
		if (found > 1)
			broken(LISTS, "in two lists");
		if (found == 0)
			members[LISTS][counts[LISTS]++] = o;
	}
	qsort(members[LISTS], counts[LISTS], sizeof(PMEMoid), by_name);
}

static int
show_lists(PMEMobjpool *pool)
{
	read_lists(pool);
	for (int list = 0; list <= LISTS; list++) {
		printf(list < LISTS ? "list" : "loose");
		for (int i = 0; i < counts[list]; i++)
			printf(" %" PRIx64, member(members[list][i])->name);
		putchar('\n');
	}
	return 0;
}

static int
name_member(PMEMobjpool *pool, void *object, void *name)
{
	memset(object, 0xA5, pmemobj_alloc_usable_size(pmemobj_oid(object)));
	memset(object, 0, sizeof(struct member));
	((struct member *)object)->name = *(uint64_t *)name;
	pmemobj_persist(pool, object, pmemobj_alloc_usable_size(pmemobj_oid(object)));
	return 0;
}

/* Where a member goes that shall be at a position of a list it is not in (any more). */
static PMEMoid
destination(const PMEMoid *others, int count, int at, int flag, int *before)
{
	*before = at == 0 || (at < count && flag);
	if (at == 0 || at == count)
		return OID_NULL;
	return *before ? others[at] : others[at - 1];
}

static int
link_step(PMEMobjpool *pool, struct holder *h)
{
	uint64_t r = next_random();
	uint64_t name = next_random();
	int kind = r % 8, a = (r >> 8) % LISTS, b = (r >> 16) % LISTS;
	int x = (r >> 24) & 0xffff, y = (r >> 40) & 0xffff, flag = (r >> 56) & 1, before;
	read_lists(pool);
	int in_all = counts[0] + counts[1] + counts[2] + counts[3];
	struct head *from = &h->heads[a], *to = &h->heads[b];
	PMEMoid dest;
	if (kind <= 1) {
		if (in_all == MOST_MEMBERS)
			return 0;
		dest = destination(members[a], counts[a], y % (counts[a] + 1), flag, &before);
		size_t size = sizeof(struct member) + name % 300;
		return OID_IS_NULL(pmemobj_list_insert_new(pool, ENTRY[a], from, dest, before, size,
			LIST_MEMBER, name_member, &name));
	}
	if (kind == 2) {
		if (counts[LISTS] == 0)
			return 0;
		dest = destination(members[a], counts[a], y % (counts[a] + 1), flag, &before);
		return pmemobj_list_insert(pool, ENTRY[a], from, dest, before,
			members[LISTS][x % counts[LISTS]]);
	}
	if (counts[a] == 0)
		return 0;
	PMEMoid o = members[a][x % counts[a]];
	if (kind <= 4)
		return pmemobj_list_remove(pool, ENTRY[a], from, o, kind == 4);
	PMEMoid others[MOST_MEMBERS + 1];
	int count = 0;
	for (int i = 0; i < counts[b]; i++)
		if (!OID_EQUALS(members[b][i], o))
			others[count++] = members[b][i];
	dest = destination(others, count, y % (count + 1), flag, &before);
	return pmemobj_list_move(pool, ENTRY[a], from, ENTRY[b], to, dest, before, o);
}

static int
link_work(PMEMobjpool *pool, int steps)
{
	struct holder *h = holder(pool);
	for (int i = 0; i < steps; i++) {
		if (pmemobj_rwlock_wrlock(pool, &h->rwlock) || pmemobj_mutex_lock(pool, &h->mutex))
			return fail("lock");
		if (link_step(pool, h))
			return fail("list operation");
		pmemobj_cond_broadcast(pool, &h->cond);
		pmemobj_mutex_unlock(pool, &h->mutex);
		pmemobj_rwlock_unlock(pool, &h->rwlock);
	}
	return 0;
}

static int
make_value(void *value, void *arg)
{
	*(uint64_t *)value = 1 + *(uint64_t *)arg;
	return 0;
}

static int
take(int error, const char *what)
{
	if (error) {
		printf("%s: %s\n", what, strerror(error));
		exit(1);
	}
	return 1;
}

static int
take_locks(PMEMobjpool *pool)
{
	struct holder *h = holder(pool);
	int taken = 0;
	read_lists(pool);
	for (int list = 0; list < LISTS; list++)
		taken += take(pmemobj_mutex_trylock(pool, &h->heads[list].lock), "head");
	for (int list = 0; list <= LISTS; list++)
		for (int i = 0; i < counts[list]; i++)
			taken += take(pmemobj_mutex_trylock(pool, &member(members[list][i])->mutex), "member");
	taken += take(pmemobj_rwlock_trywrlock(pool, &h->rwlock), "rwlock");
	taken += take(pmemobj_mutex_trylock(pool, &h->mutex), "mutex");
	struct timespec past = {0, 0};
	int waited = pmemobj_cond_timedwait(pool, &h->cond, &h->mutex, &past);
	taken += take(waited == ETIMEDOUT ? 0 : waited ? waited : EINVAL, "cond");
	uint64_t before = 41;
	uint64_t *value = pmemobj_volatile(pool, &h->made.vlt, &h->made.value, sizeof(uint64_t),
		make_value, &before);
	taken += take(value == NULL || *value != 42 ? EINVAL : 0, "volatile");
	printf("free %d\n", taken);
	fflush(stdout);
	_exit(0);
}

static void
told(PMEMobjpool *pool, enum pobj_tx_stage stage, void *arg)
{
	(void) pool;
	(void) arg;
	printf("told %d\n", stage);
}

/*
 * One letter, one call, one line: the letter, the stage, the errno, what the root's first word is,
 * and what the call returned. b, B: begin, with a callback; c: commit; a: abort with the digit
 * that follows; p: process; e: end; x, n: an allocation that fails, n with NO_ABORT; r, f, g: set
 * the failure behaviour RETURN, ABORT, get it; u, U: set, get user data; v: change the root's word.
 */
static int
stages(PMEMobjpool *pool, const char *script)
{
	PMEMoid root = pmemobj_root(pool, 64);
	uint64_t *word = pmemobj_direct(root);
	uint64_t count = 0;
	int depth = 0;
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (const char *call = script; *call != 0; call++) {
		long result = 0;
		char letter = *call;
		count++;
		switch (letter) {
		case 'b':
			result = pmemobj_tx_begin(pool, NULL, TX_PARAM_NONE);
			depth++;
			break;
		case 'B':
			result = pmemobj_tx_begin(pool, NULL, TX_PARAM_CB, told, NULL, TX_PARAM_NONE);
			depth++;
			break;
		case 'c':
			pmemobj_tx_commit();
			break;
		case 'a':
			pmemobj_tx_abort(*++call - '0');
			break;
		case 'p':
			pmemobj_tx_process();
			break;
		case 'e':
			result = pmemobj_tx_end();
			depth--;
			break;
		case 'x':
			pmemobj_tx_alloc(0, 1);
			break;
		case 'n':
			pmemobj_tx_xalloc(0, 1, POBJ_XALLOC_NO_ABORT);
			break;
		case 'r':
			pmemobj_tx_set_failure_behavior(POBJ_TX_FAILURE_RETURN);
			break;
		case 'f':
			pmemobj_tx_set_failure_behavior(POBJ_TX_FAILURE_ABORT);
			break;
		case 'g':
			result = pmemobj_tx_get_failure_behavior();
			break;
		case 'u':
			pmemobj_tx_set_user_data((void *)count);
			break;
		case 'U':
			result = (long)pmemobj_tx_get_user_data();
			break;
		case 'v':
			result = pmemobj_tx_add_range(root, 0, sizeof(*word));
			*word = count;
			break;
		default:
			return 3;
		}
		printf("%c %d %d %" PRIu64 " %ld\n", letter, pmemobj_tx_stage(),
			depth > 0 ? pmemobj_tx_errno() : 0, *word, result);
	}
	return 0;
}

/* Arguments from UNIT on. */
static int
use_class(PMEMobjpool *pool, char **argv)
{
	struct pobj_alloc_class_desc wanted = {0};
	wanted.unit_size = strtoull(argv[0], NULL, 10);
	wanted.alignment = strtoull(argv[1], NULL, 10);
	wanted.units_per_block = (unsigned)atoi(argv[2]);
	wanted.header_type = argv[3][0] == 'n' ? POBJ_HEADER_NONE
		: argv[3][0] == 'c' ? POBJ_HEADER_COMPACT : POBJ_HEADER_LEGACY;
	if (pmemobj_ctl_set(pool, "heap.alloc_class.new.desc", &wanted))
		return fail("class");
	printf("class %u %u\n", wanted.class_id, wanted.units_per_block);
	size_t size = strtoull(argv[4], NULL, 10);
	uint64_t type = strtoull(argv[5], NULL, 10);
	for (int count = atoi(argv[6]); count > 0; count--) {
		PMEMoid o;
		if (pmemobj_xalloc(pool, &o, size, type, POBJ_CLASS_ID((uint64_t)wanted.class_id),
				NULL, NULL))
			return fail("allocate");
		if (wanted.alignment && (uintptr_t)pmemobj_direct(o) % wanted.alignment) {
			fprintf(stderr, "%p is not aligned\n", pmemobj_direct(o));
			return 2;
		}
		fill(pmemobj_direct(o), size, o.off);
		pmemobj_persist(pool, pmemobj_direct(o), size);
		printf("object %" PRIu64 "\n", o.off);
	}
	return 0;
}

static int
fill_pool(PMEMobjpool *pool, size_t size)
{
	int count = 0;
	for (; size > 0; size /= 2) {
		PMEMoid o;
		while (pmemobj_alloc(pool, &o, size, 1, NULL, NULL) == 0)
			count++;
		if (errno != ENOMEM)
			return fail("fill");
	}
	printf("filled %d\n", count);
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: judge check|list|work|die|halt|create|link|lists|locks|class POOL"
			" [SEED STEPS [COUNT]]\n");
		return 2;
	}
	if (strcmp(argv[1], "check") == 0) {
		int result = pmemobj_check(argv[2], NULL);
		puts(result == 1 ? "consistent" : "inconsistent");
		if (result != 1)
			fprintf(stderr, "%s\n", pmemobj_errormsg());
		return result == 1 ? 0 : 1;
	}
	if (strcmp(argv[1], "create") == 0 && argc == 4) {
		PMEMobjpool *made = pmemobj_create(argv[2], "", (size_t)atoi(argv[3]) << 20, 0600);
		if (made == NULL)
			return fail("create");
		pmemobj_close(made);
		return 0;
	}
	if (argc == 6)
		steps_left = atol(argv[5]);
	PMEMobjpool *pool = pmemobj_open(argv[2], NULL);
	if (pool == NULL)
		return fail("open");
	int result = 0;
	if (strcmp(argv[1], "list") == 0) {
		result = list(pool);
	} else if (strcmp(argv[1], "lists") == 0) {
		result = show_lists(pool);
	} else if (strcmp(argv[1], "locks") == 0) {
		result = take_locks(pool);
	} else if (argc == 10 && strcmp(argv[1], "class") == 0) {
		result = use_class(pool, argv + 3);
	} else if (argc >= 5 && strcmp(argv[1], "link") == 0) {
		state = strtoull(argv[3], NULL, 10) | 1;
		result = link_work(pool, atoi(argv[4]));
	} else if (argc == 4 && strcmp(argv[1], "fill") == 0) {
		result = fill_pool(pool, strtoull(argv[3], NULL, 10));
	} else if (argc == 4 && strcmp(argv[1], "stages") == 0) {
		result = stages(pool, argv[3]);
	} else if (argc >= 5) {
		state = strtoull(argv[3], NULL, 10) | 1;
		result = work(pool, atoi(argv[4]), strcmp(argv[1], "die") == 0);
	} else {
		result = 2;
	}
	pmemobj_close(pool);
	return result;
}
