/*
 * Brings about what libpmemobj 1.12.1 gets wrong, for LibraryDefectsTest.
 *
 *   defects buffer POOL        a new pool; dies in a transaction whose undo log reaches into a
 *                              buffer of the program's: "buffer OFFSET", "data OFFSET"
 *   defects class POOL UNIT    a new pool; allocates from a class of 64 such units: "allocated",
 *                              "failed", or "hangs" when that takes more than two seconds
 *   defects hold POOL          opens the pool, or makes it, says "open", waits for a byte
 */
#include <errno.h>
#include <inttypes.h>
#include <libpmemobj.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LAYOUT "defects"
#define BUFFER_BYTES 65536
#define DATA_BYTES 32768

static void
fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, pmemobj_errormsg());
	exit(1);
}

static void
buffer(PMEMobjpool *pool)
{
	PMEMoid log, data;
	if (pmemobj_zalloc(pool, &log, BUFFER_BYTES, 7) != 0)
		fail("buffer");
	if (pmemobj_zalloc(pool, &data, DATA_BYTES, 8) != 0)
		fail("data");
	pmemobj_memset_persist(pool, pmemobj_direct(data), 'a', DATA_BYTES);
	printf("buffer %" PRIu64 "\ndata %" PRIu64 "\n", log.off, data.off);
	fflush(stdout);
	TX_BEGIN(pool) {
		pmemobj_tx_log_append_buffer(
			TX_LOG_TYPE_SNAPSHOT, pmemobj_direct(log), BUFFER_BYTES);
		pmemobj_tx_add_range(data, 0, DATA_BYTES);
		pmemobj_memset_persist(pool, pmemobj_direct(data), 'b', DATA_BYTES);
		_exit(0);
	} TX_ONABORT {
		fail("transaction");
	} TX_END
}

static void
hangs(int signal)
{
	(void)signal;
	_exit(write(1, "hangs\n", 6) != 6);
}

static void
class(PMEMobjpool *pool, size_t unit)
{
	struct pobj_alloc_class_desc desc;
	memset(&desc, 0, sizeof(desc));
	desc.header_type = POBJ_HEADER_COMPACT;
	desc.unit_size = unit;
	desc.units_per_block = 64;
	if (pmemobj_ctl_set(pool, "heap.alloc_class.new.desc", &desc) != 0)
		fail("class");
	PMEMoid object;
	uint64_t flags = POBJ_CLASS_ID(desc.class_id);
	signal(SIGALRM, hangs);
	alarm(2);
	int failed = pmemobj_xalloc(pool, &object, unit - 16, 1, flags, NULL, NULL);
	puts(failed ? "failed" : "allocated");
}

int
main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: defects buffer|class|hold POOL [UNIT]\n");
		return 2;
	}
	int hold = strcmp(argv[1], "hold") == 0;
	PMEMobjpool *pool = hold ? pmemobj_open(argv[2], LAYOUT) : NULL;
	if (pool == NULL)
		pool = pmemobj_create(argv[2], LAYOUT, hold ? 0 : 16 << 20, 0600);
	if (pool == NULL)
		fail(argv[2]);
	if (hold) {
		puts("open");
		fflush(stdout);
		getchar();
	} else if (strcmp(argv[1], "buffer") == 0) {
		buffer(pool);
	} else {
		class(pool, atol(argv[3]));
	}
	pmemobj_close(pool);
	return 0;
}
