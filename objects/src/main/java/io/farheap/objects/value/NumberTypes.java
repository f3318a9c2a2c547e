package io.farheap.objects.value;

import io.farheap.objects.transaction.HeapTransaction;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;

/** Numbers of any length: two's complement, the highest byte first; a scale of 4 B before it. */
public final class NumberTypes {
    public static final ValueType<BigInteger> BIG_INTEGER =
            new VariableType<>("BigInteger") {
                @Override
                byte[] encode(BigInteger value) {
                    return value.toByteArray();
                }

                @Override
                BigInteger decode(HeapTransaction tx, byte[] bytes) {
                    return new BigInteger(bytes);
                }

                @Override
                public int hash(BigInteger value) {
                    return LongType.hashOf(Arrays.hashCode(value.toByteArray()));
                }

                @Override
                public boolean isComparable() {
                    return true;
                }
            };

    public static final ValueType<BigDecimal> BIG_DECIMAL =
            new VariableType<>("BigDecimal") {
                @Override
                byte[] encode(BigDecimal value) {
                    byte[] digits = value.unscaledValue().toByteArray();
                    ValueImage image = new ValueImage(Integer.BYTES + digits.length);
                    image.putInt(0, value.scale());
                    image.putBytes(Integer.BYTES, digits);
                    return image.toBytes();
                }

                @Override
                BigDecimal decode(HeapTransaction tx, byte[] bytes) {
                    int scale = new ValueImage(bytes).getInt(0);
                    return new BigDecimal(
                            new BigInteger(bytes, Integer.BYTES, bytes.length - Integer.BYTES),
                            scale);
                }

                @Override
                public int hash(BigDecimal value) {
                    return LongType.hashOf(Arrays.hashCode(encode(value)));
                }

                @Override
                public boolean isComparable() {
                    return true;
                }
            };

    private NumberTypes() {}
}
