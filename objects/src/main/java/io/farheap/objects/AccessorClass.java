package io.farheap.objects;

import static java.lang.constant.ConstantDescs.BSM_CLASS_DATA_AT;
import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_byte;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_short;
import static java.lang.constant.ConstantDescs.CD_void;
import static java.lang.constant.ConstantDescs.DEFAULT_NAME;
import static java.lang.constant.ConstantDescs.INIT_NAME;

import io.farheap.objects.type.Property;
import io.farheap.objects.type.Shape;
import io.farheap.objects.value.FieldPlace;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.DynamicConstantDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Makes the class behind an interface for objects of one stored shape: a hidden class in the
 * interface's package and loader, so that an interface which is not public works, too. Fields at a
 * place with the property's own type are read and written there; the others by {@link ObjectSpace}.
 */
final class AccessorClass {
    private static final ClassDesc BASE = ClassDesc.of(PersistentObject.class.getName());

    private final Shape shape;
    private final Class<?> type;
    private final ClassDesc self;
    private final Set<String> methods = new HashSet<>();

    private AccessorClass(Shape shape) {
        this.shape = shape;
        this.type = shape.type().type();
        String prefix = type.getPackageName().isEmpty() ? "" : type.getPackageName() + ".";
        this.self = ClassDesc.of(prefix + type.getSimpleName() + "$Persistent");
    }

    /** An object at no place, from which others of its class are made. */
    static PersistentObject prototype(Shape shape, ObjectSpace space) {
        return new AccessorClass(shape).make(space);
    }

    private PersistentObject make(ObjectSpace space) {
        List<ObjectField> fields = new ArrayList<>();
        for (int i = 0; i < shape.places().length; i++) {
            fields.add(new ObjectField(shape.type(), i));
        }
        try {
            MethodHandles.Lookup made =
                    PackageLookup.of(type).defineHiddenClassWithClassData(bytes(), fields, false);
            return (PersistentObject)
                    made.findConstructor(
                                    made.lookupClass(),
                                    MethodType.methodType(void.class, Object.class, long.class))
                            .invoke((Object) space, 0L);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("was looked into when the types were matched", e);
        }
    }

    private byte[] bytes() {
        return ClassFile.of().build(self, this::build);
    }

    private void build(ClassBuilder builder) {
        builder.withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SUPER | ClassFile.ACC_SYNTHETIC);
        builder.withSuperclass(BASE);
        builder.withInterfaceSymbols(type.describeConstable().orElseThrow());
        MethodTypeDesc constructor = MethodTypeDesc.of(CD_void, CD_Object, CD_long);
        builder.withMethodBody(
                INIT_NAME,
                constructor,
                0,
                code ->
                        code.aload(0)
                                .aload(1)
                                .lload(2)
                                .invokespecial(BASE, INIT_NAME, constructor)
                                .return_());
        builder.withMethodBody(
                "persistent$at",
                MethodTypeDesc.of(BASE, CD_Object, CD_long),
                ClassFile.ACC_PUBLIC,
                code ->
                        code.new_(self)
                                .dup()
                                .aload(1)
                                .lload(2)
                                .invokespecial(self, INIT_NAME, constructor)
                                .areturn());
        for (int i = 0; i < shape.places().length; i++) {
            int index = i;
            Property property = shape.type().properties().get(i);
            property.getters().forEach(method -> getter(builder, method, index));
            property.setters().forEach(method -> setter(builder, method, index));
        }
    }

    // ---- getters ----

    private void getter(ClassBuilder builder, Method method, int index) {
        MethodTypeDesc descriptor = descriptor(method);
        if (methods.add(method.getName() + descriptor.descriptorString())) {
            builder.withMethodBody(
                    method.getName(),
                    descriptor,
                    ClassFile.ACC_PUBLIC,
                    code -> get(code, method.getReturnType(), index));
        }
    }

    private void get(CodeBuilder code, Class<?> result, int index) {
        code.aload(0);
        if (!result.isPrimitive()) {
            field(code, index);
            code.invokestatic(BASE, "getValue", MethodTypeDesc.of(CD_Object, BASE, CD_Object))
                    .checkcast(result.describeConstable().orElseThrow())
                    .areturn();
            return;
        }
        place(code, index);
        Word word = Word.of(result);
        code.invokestatic(
                BASE,
                "get" + word.name,
                MethodTypeDesc.of(word.type, BASE, CD_long, CD_int, CD_Object));
        fromWord(code, result);
        code.return_(TypeKind.from(result));
    }

    private static void fromWord(CodeBuilder code, Class<?> result) {
        if (result == char.class) {
            code.i2c();
        } else if (result == float.class) {
            code.invokestatic(
                    ClassDesc.of("java.lang.Float"),
                    "intBitsToFloat",
                    MethodTypeDesc.ofDescriptor("(I)F"));
        } else if (result == double.class) {
            code.invokestatic(
                    ClassDesc.of("java.lang.Double"),
                    "longBitsToDouble",
                    MethodTypeDesc.ofDescriptor("(J)D"));
        }
    }

    // ---- setters ----

    private void setter(ClassBuilder builder, Method method, int index) {
        MethodTypeDesc descriptor = descriptor(method);
        if (methods.add(method.getName() + descriptor.descriptorString())) {
            builder.withMethodBody(
                    method.getName(),
                    descriptor,
                    ClassFile.ACC_PUBLIC,
                    code -> set(code, method.getParameterTypes()[0], index));
        }
    }

    private void set(CodeBuilder code, Class<?> value, int index) {
        code.aload(0).loadLocal(TypeKind.from(value), 1);
        if (!value.isPrimitive()) {
            field(code, index);
            code.invokestatic(
                    BASE, "setValue", MethodTypeDesc.of(CD_void, BASE, CD_Object, CD_Object));
        } else {
            toWord(code, value);
            place(code, index);
            Word word = Word.of(value);
            code.invokestatic(
                    BASE,
                    "set" + word.name,
                    MethodTypeDesc.of(CD_void, BASE, word.type, CD_long, CD_int, CD_Object));
        }
        code.return_();
    }

    private static void toWord(CodeBuilder code, Class<?> value) {
        if (value == char.class) {
            code.i2s();
        } else if (value == float.class) {
            code.invokestatic(
                    ClassDesc.of("java.lang.Float"),
                    "floatToIntBits",
                    MethodTypeDesc.ofDescriptor("(F)I"));
        } else if (value == double.class) {
            code.invokestatic(
                    ClassDesc.of("java.lang.Double"),
                    "doubleToLongBits",
                    MethodTypeDesc.ofDescriptor("(D)J"));
        }
    }

    // ---- constants ----

    /** Type id and offset of a place that takes each value; else ones that no object has. */
    private void place(CodeBuilder code, int index) {
        FieldPlace place = shape.places()[index];
        boolean isDirect =
                shape.isExact()[index] && place.nullBit() < 0 && shape.type().isWritable();
        code.loadConstant(isDirect ? shape.id() : -1L);
        code.loadConstant(isDirect ? place.offset() : 0);
        field(code, index);
    }

    private static void field(CodeBuilder code, int index) {
        code.loadConstant(
                DynamicConstantDesc.ofNamed(BSM_CLASS_DATA_AT, DEFAULT_NAME, CD_Object, index));
    }

    private static MethodTypeDesc descriptor(Method method) {
        return MethodType.methodType(method.getReturnType(), method.getParameterTypes())
                .describeConstable()
                .orElseThrow();
    }

    /** The machine word that a primitive lies in. */
    private enum Word {
        LONG("Long", CD_long),
        INT("Int", CD_int),
        SHORT("Short", CD_short),
        BYTE("Byte", CD_byte);

        private final String name;
        private final ClassDesc type;

        Word(String name, ClassDesc type) {
            this.name = name;
            this.type = type;
        }

        static Word of(Class<?> primitive) {
            if (primitive == long.class || primitive == double.class) {
                return LONG;
            }
            if (primitive == int.class || primitive == float.class) {
                return INT;
            }
            return primitive == short.class || primitive == char.class ? SHORT : BYTE;
        }
    }
}
