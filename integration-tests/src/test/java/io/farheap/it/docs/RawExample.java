package io.farheap.it.docs;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import java.nio.file.Path;

/** The example at the top of docs/libpmemobj.md, word for word. */
final class RawExample {
    private static final int ACCOUNT_BYTES = 64;
    private static final int ACCOUNT_TYPE = 1;
    private static final int BALANCE = 0;
    private static final int OWNER = 8;
    private static final int FIRST = 0;

    private RawExample() {}

    static long run(Path bankSet) {
        // docs/libpmemobj.md: begin
        // bank.set decides where the bytes live and who else has them. This code never changes.
        try (ObjectPool pool = ObjectPool.openOrCreate(bankSet, "bank")) {
            Ref root = pool.root(64);
            pool.transaction(
                    tx -> {
                        Ref account = tx.allocate(ACCOUNT_BYTES, ACCOUNT_TYPE);
                        tx.setLong(account, BALANCE, 100);
                        tx.write(account, OWNER, bytes -> bytes.writeUtf8("Ada"));
                        tx.setRef(root, FIRST, account);
                    }); // returned: durable here and on every replica
            return pool.getLong(pool.getRef(root, FIRST), BALANCE);
        }
        // docs/libpmemobj.md: end
    }
}
