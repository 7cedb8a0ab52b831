import type { Schema } from '@tributary/connect-api'

/**
 * Remembers what a stage has decided for each schema, by the identity of the schema: schemas are interned, so that all
 * records of one table version share one object. The last one costs a comparison.
 */
export class SchemaMemo<T extends object> {
  readonly #make: (schema: Schema) => T
  readonly #known = new WeakMap<Schema, T>()
  #lastSchema: Schema | null = null
  #last: T | null = null

  constructor(make: (schema: Schema) => T) {
    this.#make = make
  }

  of(schema: Schema): T {
    if (schema === this.#lastSchema && this.#last !== null) return this.#last
    let found = this.#known.get(schema)
    if (found === undefined) {
      found = this.#make(schema)
      this.#known.set(schema, found)
    }
    this.#lastSchema = schema
    this.#last = found
    return found
  }
}
