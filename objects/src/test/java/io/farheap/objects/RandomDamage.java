package io.farheap.objects;

import io.farheap.base.Ref;
import java.util.List;
import java.util.Random;

/** Bytes of an object as no program wrote them. */
final class RandomDamage {
    private RandomDamage() {}

    /**
     * What one damage makes of an object's bytes.
     *
     * @param others what a reference in it may lead to then
     */
    static byte[] of(Random random, byte[] good, List<Ref> others) {
        byte[] bytes = good.clone();
        int at = random.nextInt(bytes.length);
        switch (random.nextInt(4)) {
            case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
            case 1 -> bytes[at] = (byte) random.nextInt();
            case 2 -> {
                for (int i = at & ~7; i < Math.min(bytes.length, (at & ~7) + 8); i++) {
                    bytes[i] = (byte) (random.nextBoolean() ? 0xFF : random.nextInt());
                }
            }
            default -> {
                long other = others.get(random.nextInt(others.size())).offset();
                for (int i = 0; i < 8 && (at & ~7) + i < bytes.length; i++) {
                    bytes[(at & ~7) + i] = (byte) (other >> 8 * i);
                }
            }
        }
        return bytes;
    }
}
