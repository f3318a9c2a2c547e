/*
 * Prints the accounts of a bank that two versions of a program wrote: objects of either version, one that moved from the first
 * to the second and keeps its place, and the place of one that is deleted.
 */
#include TYPES
#include <stdio.h>

static void
print_owner(PMEMobjpool *pop, const char *what, const farheap_value *value)
{
    uint32_t length = 0;
    const char *bytes = farheap_bytes(pop, value, &length);
    printf("%s=%.*s", what, bytes ? (int)length : 4, bytes ? bytes : "null");
}

int
main(int argc, char *argv[])
{
    PMEMobjpool *pop = argc > 1 ? pmemobj_open(argv[1], "farheap-objects") : NULL;
    if (pop == NULL) {
        fprintf(stderr, "%s\n", pmemobj_errormsg());
        return 1;
    }
    const struct farheap_root *root = pmemobj_direct(pmemobj_root(pop, sizeof(*root)));
    const struct Bank *bank = farheap_fields(pop, root->root);
    if (bank == NULL || bank->farheap_type != Bank_TYPE)
        return 2;
    for (PMEMoid next = bank->first; !OID_IS_NULL(next);) {
        const uint64_t *words = pmemobj_direct(next);
        const void *fields = farheap_fields(pop, next);
        if (fields == NULL) {
            printf("deleted, word %d\n", (int)words[0]);
            break;
        }
        const char *where = words[0] == 1 ? "moved" : "in place";
        if (*(const uint64_t *)fields == Account_TYPE) {
            const struct Account *account = fields;
            print_owner(pop, "owner", &account->owner);
            printf(" balance=%d %s\n", account->balance, where);
            next = account->next;
        } else if (*(const uint64_t *)fields == Account_v2_TYPE) {
            const struct Account_v2 *account = fields;
            print_owner(pop, "owner", &account->owner);
            printf(" balance=%lld", (long long)account->balance);
            print_owner(pop, " note", &account->note);
            printf(" %s\n", where);
            next = account->next;
        } else {
            return 3;
        }
    }
    pmemobj_close(pop);
    return 0;
}
