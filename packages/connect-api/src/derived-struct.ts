import { type ConnectValue, type Schema, Struct } from './data.ts'

/**
 * How structs of one schema are made of structs of another: each field is a field of the base, or a value of its own.
 * One object per pair of schemas, because compiled work is keyed by its identity.
 *
 *     // { id, name } of { id, secret, name }, and the operation
 *     const derivation = new StructDerivation(schema, [0, 2, ownField(0)])
 *     derive(derivation, row, ['c'])
 */
export class StructDerivation {
  /** Of the derived structs. A field that is taken from the base has the type that it has there. */
  readonly schema: Schema
  /** One per field: the index of a field of the base, or `ownField(n)`. */
  readonly sources: Int32Array
  /** Number of own values. */
  readonly ownCount: number
  readonly #afterOthers = new WeakMap<StructDerivation, StructDerivation>()

  constructor(schema: Schema, sources: Iterable<number>, ownCount?: number) {
    this.schema = schema
    this.sources = Int32Array.from(sources)
    this.ownCount = ownCount ?? this.sources.reduce((count, source) => Math.max(count, -source), 0)
  }

  /**
   * The derivation of a struct that `first` has derived, from the base of `first`. Its own values are those of `first`,
   * followed by those of this derivation.
   */
  after(first: StructDerivation): StructDerivation {
    let both = this.#afterOthers.get(first)
    if (both === undefined) {
      const sources = Array.from(this.sources, (source) =>
        // In range: a derivation refers to fields of its base.
        source >= 0 ? (first.sources[source] as number) : source - first.ownCount,
      )
      both = new StructDerivation(this.schema, sources, first.ownCount + this.ownCount)
      this.#afterOthers.set(first, both)
    }
    return both
  }
}

/** The source of a field that has the `nth` own value, from 0. */
export function ownField(nth: number): number {
  return -1 - nth
}

/**
 * A struct whose unchanged fields stay in the struct that it was derived from, so that a converter writes them as it
 * writes those: from the bytes of a raw struct, without values. It is valid as long as its base.
 */
export class DerivedStruct extends Struct {
  readonly derivation: StructDerivation
  /** Not itself derived. */
  readonly base: Struct
  readonly own: readonly ConnectValue[]

  constructor(derivation: StructDerivation, base: Struct, own: readonly ConnectValue[]) {
    super(derivation.schema, own)
    this.derivation = derivation
    this.base = base
    this.own = own
  }

  override at(index: number): ConnectValue {
    const source = this.derivation.sources[index] as number
    return source >= 0 ? this.base.at(source) : (this.own[-1 - source] as ConnectValue)
  }
}

/** Derives a struct from any other. `own`: the values that `ownField` numbers. */
export function derive(derivation: StructDerivation, base: Struct, own: readonly ConnectValue[]): DerivedStruct {
  if (!(base instanceof DerivedStruct)) return new DerivedStruct(derivation, base, own)
  const both = derivation.after(base.derivation)
  return new DerivedStruct(both, base.base, own.length === 0 ? base.own : [...base.own, ...own])
}
