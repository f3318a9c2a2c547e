package io.farheap.it.interop;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Every link word of a pool's lists, with names in place of offsets. */
record LinkBytes(List<String> heads, Map<Long, List<String>> entries) {

    static LinkBytes of(ObjectPool pool) {
        Map<Long, Long> names = new TreeMap<>();
        Links.members(pool).forEach((name, member) -> names.put(member.offset(), name));
        Ref holder = Links.holder(pool);
        List<String> heads = new ArrayList<>();
        for (int i = 0; i < Links.LISTS; i++) {
            heads.add(link(pool, holder, 16 + 80L * i, names));
        }
        Map<Long, List<String>> entries = new TreeMap<>();
        Links.members(pool)
                .forEach(
                        (name, member) -> {
                            List<String> links = new ArrayList<>();
                            for (long at = 16; at < 80; at += 16) {
                                links.add(link(pool, member, at, names));
                            }
                            entries.put(name, Collections.unmodifiableList(links));
                        });
        return new LinkBytes(heads, entries);
    }

    private static String link(ObjectPool pool, Ref object, long at, Map<Long, Long> names) {
        boolean here = pool.getLong(object, at) == pool.poolId();
        long target = pool.getLong(object, at + 8);
        return (here ? "here " : "nowhere ") + (target == 0 ? "null" : names.get(target));
    }
}
