/*
 * Prints an object with a field of every kind, and a collection of every kind, that a Java program has stored: by the header that
 * describes its types (TYPES), and by docs/format.md for the inside of collections.
 */
#include TYPES
#include <stdio.h>
#include <string.h>

static PMEMobjpool *pop;

static const char *
at(uint64_t offset)
{
    return (const char *)pop + offset;
}

static uint64_t
word(const char *object, uint64_t offset)
{
    uint64_t value;
    memcpy(&value, object + offset, sizeof(value));
    return value;
}

static void
print_bytes(const char *bytes, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++)
        printf("%02x", (uint8_t)bytes[i]);
    printf("\n");
}

static void
print_text(const void *slot)
{
    uint32_t length = 0;
    const char *bytes = farheap_bytes(pop, slot, &length);
    printf("%.*s\n", bytes ? (int)length : 4, bytes ? bytes : "null");
}

/* What prints a key, value or element. */
typedef void (*printer)(const void *slot);

static void
print_long(const void *slot)
{
    printf("%lld\n", (long long)word(slot, 0));
}

/* ---- fields ---- */

static void
print_numbers(const struct Everything *e)
{
    printf("flag=%d\n", e->flag);
    printf("tiny=%d\n", e->tiny);
    printf("small=%d\n", e->small);
    printf("letter=%u\n", e->letter);
    printf("number=%d\n", e->number);
    printf("large=%lld\n", (long long)e->large);
    printf("real=%g\n", e->real);
    printf("precise=%g\n", e->precise);
    printf("boxed=%d\n", e->boxed);
}

static void
print_times(const struct Everything *e)
{
    printf("instant=%lld.%09d\n", (long long)e->instant.seconds, e->instant.nanoseconds);
    printf("duration=%lld.%09d\n", (long long)e->duration.seconds, e->duration.nanoseconds);
    printf("day=%lld\n", (long long)e->day);
    printf("time=%lld\n", (long long)e->time);
    printf("local=%lld,%lld\n", (long long)e->local.first, (long long)e->local.second);
    printf("uuid=%016llx%016llx\n", (unsigned long long)e->uuid.first,
            (unsigned long long)e->uuid.second);
}

static void
print_slots(const struct Everything *e)
{
    uint32_t length = 0;
    printf("text=");
    print_text(&e->text);
    printf("shortText=");
    print_text(&e->shortText);
    printf("nothing=");
    print_text(&e->nothing);
    const char *bytes = farheap_bytes(pop, &e->big, &length);
    printf("big=");
    print_bytes(bytes, length);
    bytes = farheap_bytes(pop, &e->decimal, &length);
    int32_t scale;
    memcpy(&scale, bytes, 4);
    printf("decimal=%d,", scale);
    print_bytes(bytes + 4, length - 4);
    bytes = farheap_bytes(pop, &e->bytes, &length);
    printf("bytes=");
    print_bytes(bytes, length);
    bytes = farheap_bytes(pop, &e->numbers, &length);
    int32_t count;
    memcpy(&count, bytes, 4);
    for (int i = 0; i < count; i++) {
        int32_t number;
        memcpy(&number, bytes + 8 + 4 * i, 4);
        printf("numbers[%d]=%d\n", i, number);
    }
    bytes = farheap_bytes(pop, &e->words, &length);
    memcpy(&count, bytes, 4);
    for (int i = 0; i < count; i++) {
        uint32_t where[2];
        memcpy(where, bytes + 8 + 8 * i, 8);
        printf("words[%d]=%.*s\n", i, (int)where[1], bytes + where[0]);
    }
}

static void
print_records(const struct Everything *e)
{
    uint32_t length = 0;
    printf("color=%s\n", e->color == Color_GREEN ? "green" : "another");
    printf("point=%d,%d\n", e->point.x, e->point.y);
    const char *value = farheap_bytes(pop, &e->note, &length);
    struct Note note;
    memcpy(&note, value + 8, sizeof(note));
    printf("note=%.*s,%d\n", (int)note.text.length, value + note.text.place, note.amount);
    value = farheap_bytes(pop, &e->shape, &length);
    uint32_t number;
    memcpy(&number, value, 4);
    struct Circle circle;
    memcpy(&circle, value + 8, sizeof(circle));
    printf("shape=%s,%g\n", number == Circle_NUMBER ? "circle" : "another", circle.radius);
    const struct Everything *other = farheap_fields(pop, e->other);
    printf("other=%lld\n", (long long)other->large);
    printf("none=%d\n", OID_IS_NULL(e->none));
}

/* ---- collections ---- */

/* Where the two parts of the places of a node lie. */
struct layout {
    uint64_t second;
    uint64_t stride;
    uint64_t places;
};

static struct layout
layout(uint64_t bytes, uint64_t first, uint64_t second)
{
    struct layout l = {first, first + second, 0};
    uint64_t capacity = (bytes - 32) / (l.stride + 1);
    capacity = capacity < 4 ? 4 : capacity > 64 ? 64 : capacity;
    l.places = (24 + capacity + 7) / 8 * 8;
    return l;
}

static int
count(const char *node)
{
    return __builtin_popcountll(word(node, 16));
}

static const char *
entry(struct layout l, const char *node, int index)
{
    return node + l.places + (uint8_t)node[24 + index] * l.stride;
}

static uint64_t
sum_of_cells(const char *cells)
{
    uint64_t sum = 0;
    for (int i = 0; i < 16; i++)
        sum += word(cells, 64 * i);
    return sum;
}

static uint64_t
word_of_bucket(const char *header, uint64_t bucket)
{
    if (bucket < 8)
        return word(header, 312 + 8 * bucket);
    int level = 63 - __builtin_clzll(bucket);
    uint64_t array = word(header, 32 + 8 * (level - 3));
    uint64_t index = bucket - (1ULL << level);
    if (array != 0 && (1ULL << level) > 2048) {
        array = word(at(array), 8 * (index / 2048));
        index %= 2048;
    }
    return array == 0 ? 0 : word(at(array), 8 * index);
}

static void
print_hashed(const char *what, PMEMoid oid, printer key, printer value, uint64_t value_at)
{
    const char *header = pmemobj_direct(oid);
    uint64_t level = word(header, 8);
    uint64_t cells = word(header, 16);
    printf("%s.size=%llu\n", what,
            (unsigned long long)(word(header, 24) + (cells ? sum_of_cells(at(cells)) : 0)));
    for (uint64_t bucket = 0; bucket < 1ULL << level; bucket++) {
        uint64_t first = word_of_bucket(header, bucket);
        for (uint64_t e = first == 1 ? 0 : first; e != 0; e = word(at(e), 0)) {
            printf("%s: ", what);
            key(at(e) + 16);
            if (value != NULL) {
                printf("%s of ", what);
                print_text(at(e) + 16);
                value(at(e) + value_at);
            }
        }
    }
}

static void
print_sorted(const char *what, PMEMoid oid, printer key, uint64_t key_bytes, printer value,
        uint64_t value_bytes)
{
    const char *header = pmemobj_direct(oid);
    struct layout leaves = layout(2048, key_bytes, value_bytes);
    const char *node = at(word(header, 16));
    for (uint64_t height = word(header, 8); height > 1; height--)
        node = at(word(node, 0));
    int n = 0;
    while (node != at(0)) {
        for (int i = 0; i < count(node); i++) {
            printf("%s[%d]=", what, n);
            key(entry(leaves, node, i));
            if (value != NULL) {
                printf("%s[%d] has ", what, n);
                value(entry(leaves, node, i) + leaves.second);
            }
            n++;
        }
        node = at(word(node, 8));
    }
}

/* What is told of each element of a list. */
typedef void (*visitor)(const void *slot, int index);

static int
walk(const char *node, uint64_t height, uint64_t element_bytes, int index, visitor visit)
{
    if (height == 1) {
        struct layout chunks = layout(1024, element_bytes, 0);
        for (int i = 0; i < count(node); i++)
            visit(entry(chunks, node, i), index++);
        return index;
    }
    struct layout inner = layout(1024, 8, 8);
    for (int i = 0; i < count(node); i++)
        index = walk(at(word(entry(inner, node, i), 0)), height - 1, element_bytes, index, visit);
    return index;
}

static void
print_element(const void *slot, int index)
{
    printf("list[%d]=", index);
    print_text(slot);
}

static uint64_t blob_bytes;
static uint64_t blob_sum;

static void
add_extent(const void *slot, int index)
{
    const char *extent = at(word(slot, 0));
    uint64_t begin = (uint64_t)index << 20;
    for (uint64_t i = begin; i < blob_bytes && i < begin + (1 << 20); i++)
        blob_sum += (uint8_t)extent[i - begin] * (i % 7 + 1);
}

static void
print_collections(const struct Everything *e)
{
    print_hashed("map", e->map, print_text, print_long, 32);
    print_hashed("set", e->set, print_text, NULL, 0);
    print_sorted("sortedMap", e->sortedMap, print_long, 8, print_text, 16);
    print_sorted("sortedSet", e->sortedSet, print_text, 16, NULL, 0);
    const char *header = pmemobj_direct(e->list);
    walk(at(word(header, 16)), word(header, 8), 16, 0, print_element);
    header = pmemobj_direct(e->deque);
    struct layout chunks = layout(1024, 8, 0);
    int n = 0;
    for (uint64_t chunk = word(header, 64); chunk != 0; chunk = word(at(chunk), 8))
        for (int i = 0; i < count(at(chunk)); i++) {
            printf("deque[%d]=", n++);
            print_long(entry(chunks, at(chunk), i));
        }
    header = pmemobj_direct(e->counter);
    printf("counter=%lld\n", (long long)sum_of_cells(at(word(header, 8))));
    header = pmemobj_direct(e->blob);
    blob_bytes = word(header, 8);
    const char *extents = at(word(header, 16));
    walk(at(word(extents, 16)), word(extents, 8), 8, 0, add_extent);
    printf("blob=%llu,%llu\n", (unsigned long long)blob_bytes, (unsigned long long)blob_sum);
}

int
main(int argc, char *argv[])
{
    pop = argc > 1 ? pmemobj_open(argv[1], "farheap-objects") : NULL;
    if (pop == NULL) {
        fprintf(stderr, "%s\n", pmemobj_errormsg());
        return 1;
    }
    const struct farheap_root *root = pmemobj_direct(pmemobj_root(pop, sizeof(*root)));
    const struct Everything *e = farheap_fields(pop, root->root);
    if (e == NULL || e->farheap_type != Everything_TYPE)
        return 2;
    print_numbers(e);
    print_times(e);
    print_slots(e);
    print_records(e);
    print_collections(e);
    pmemobj_close(pop);
    return 0;
}
