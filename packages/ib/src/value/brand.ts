declare const brand: unique symbol;

/** A primitive that the type checker keeps apart from others of the same kind. Nothing exists at run time. */
export type Branded<T, Name extends string> = T & { readonly [brand]: Name };
