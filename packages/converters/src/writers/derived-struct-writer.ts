import {
  type DerivedStruct,
  type RawField,
  type RawLayout,
  RawStruct,
  READ_ALREADY,
  type StructDerivation,
} from '@tributary/connect-api'
import type { ByteWriter } from '@tributary/support'
import type { CellWriter, ValueWriter } from './value-writer.ts'

/** The compiled work for one derivation from rows of one layout. */
interface RawPlan {
  readonly layout: RawLayout
  /** One per field: the writer of its cell; of an own value null. */
  readonly cellWriters: readonly (CellWriter | null)[]
  /** One per field: its cell; unused for an own value. */
  readonly cells: Int32Array
}

/**
 * Writes derived structs. Fields of a raw base are written from its bytes.
 *
 * Hot path: `#writers`, `cellWriters` and `cells` have one entry per field, so that all indexes are in range.
 */
export class DerivedStructWriter {
  readonly #writers: readonly ValueWriter[]
  readonly #compileCell: (field: RawField, index: number) => CellWriter
  readonly #plans = new WeakMap<StructDerivation, RawPlan>()
  #lastDerivation: StructDerivation | null = null
  #lastPlan: RawPlan | null = null

  constructor(writers: readonly ValueWriter[], compileCell: (field: RawField, index: number) => CellWriter) {
    this.#writers = writers
    this.#compileCell = compileCell
  }

  write(value: DerivedStruct, out: ByteWriter): void {
    if (value.base instanceof RawStruct) {
      this.#writeRaw(value, value.base, out)
      return
    }
    const writers = this.#writers
    for (let i = 0; i < writers.length; i++) (writers[i] as ValueWriter)(value.at(i), out)
  }

  #writeRaw({ derivation, own }: DerivedStruct, base: RawStruct, out: ByteWriter): void {
    const { cellWriters, cells } = this.#planFor(derivation, base.layout)
    const { bytes, places, first, texts } = base.cells
    const writers = this.#writers
    for (let i = 0; i < writers.length; i++) {
      const writeCell = cellWriters[i] as CellWriter | null
      if (writeCell === null) {
        ;(writers[i] as ValueWriter)(own[-1 - (derivation.sources[i] as number)] ?? null, out)
        continue
      }
      const at = first + 2 * (cells[i] as number)
      const start = places[at] as number
      if (start >= 0) writeCell(bytes, start, places[at + 1] as number, out)
      else if (start > READ_ALREADY) (writers[i] as ValueWriter)(null, out)
      else writeCell(texts.bytes, READ_ALREADY - start, places[at + 1] as number, out)
    }
  }

  #planFor(derivation: StructDerivation, layout: RawLayout): RawPlan {
    const last = this.#lastPlan
    if (last !== null && derivation === this.#lastDerivation && last.layout === layout) return last
    let plan = this.#plans.get(derivation)
    if (plan === undefined || plan.layout !== layout) {
      plan = this.#compile(derivation, layout)
      this.#plans.set(derivation, plan)
    }
    this.#lastDerivation = derivation
    this.#lastPlan = plan
    return plan
  }

  #compile({ sources }: StructDerivation, layout: RawLayout): RawPlan {
    const cellWriters = Array.from(sources, (source, i) =>
      source < 0 ? null : this.#compileCell(layout.fields[source] as RawField, i),
    )
    return { layout, cellWriters, cells: sources.map((source) => (source < 0 ? -1 : (layout.cells[source] as number))) }
  }
}
