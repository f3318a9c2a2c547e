/*
 * Prints what a Java program has stored as typed objects, by the header that describes them: compiled together with it, as
 * TYPES says.
 */
#include TYPES
#include <stdio.h>
#include <string.h>

static void
print_value(PMEMobjpool *pop, const char *what, const farheap_value *value)
{
    uint32_t length = 0;
    const char *bytes = farheap_bytes(pop, value, &length);
    printf("%s=%.*s\n", what, bytes ? (int)length : 4, bytes ? bytes : "null");
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
    if (memcmp(root->magic, "FHTYPES1", 8) != 0)
        return 2;
    const struct Bank *bank = farheap_fields(pop, root->root);
    if (bank == NULL || bank->farheap_type != Bank_TYPE
            || pmemobj_type_num(root->root) != Bank_TYPE)
        return 3;
    print_value(pop, "name", &bank->name);
    for (PMEMoid next = bank->first; !OID_IS_NULL(next);) {
        const struct Account *account = farheap_fields(pop, next);
        if (account == NULL || account->farheap_type != Account_TYPE)
            return 4;
        print_value(pop, "owner", &account->owner);
        printf("balance=%lld\n", (long long)account->balance);
        printf("rate=%g\n", account->rate);
        printf("color=%d\n", account->color == Color_GREEN);
        printf("at=%d,%d\n", account->at.x, account->at.y);
        printf("opened=%lld.%09d\n", (long long)account->opened.seconds,
                account->opened.nanoseconds);
        next = account->next;
    }
    pmemobj_close(pop);
    return 0;
}
