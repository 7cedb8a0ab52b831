import {
  DerivedStruct,
  RawStruct,
  type Schema,
  type Struct,
  TemplateStruct,
  type RawField,
  type RawLayout,
} from '@tributary/connect-api'
import type { ByteWriter } from '@tributary/support'
import { DerivedStructWriter } from './derived-struct-writer.ts'
import { writeRawStruct } from './raw-struct-writer.ts'
import { hasSameShape } from './schema-shape.ts'
import { TemplateStructWriter } from './template-struct-writer.ts'
import type { CellWriter, ValueWriter } from './value-writer.ts'

export interface StructWriterOptions {
  readonly schema: Schema
  /** One per field. */
  readonly writers: readonly ValueWriter[]
  /** Compiles the writer of one field's raw cells; `index` is that of the field in `schema`. */
  readonly compileCell: (field: RawField, index: number) => CellWriter
  /** The error for a struct of another shape. */
  readonly misfit: (value: Struct) => Error
}

/**
 * Appends the fields of structs of one schema, in whichever form a struct has its values. The formats differ only in the
 * writers of fields and in what encloses them.
 */
export class StructWriter {
  readonly #schema: Schema
  readonly #writers: readonly ValueWriter[]
  readonly #compileCell: StructWriterOptions['compileCell']
  readonly #misfit: StructWriterOptions['misfit']
  readonly #templates: TemplateStructWriter
  readonly #derived: DerivedStructWriter
  /** The last other schema object with the same shape, so that the shape is not compared for each value. */
  #other: Schema
  #layout: RawLayout | null = null
  #cellWriters: readonly CellWriter[] = []

  constructor({ schema, writers, compileCell, misfit }: StructWriterOptions) {
    this.#schema = schema
    this.#other = schema
    this.#writers = writers
    this.#compileCell = compileCell
    this.#misfit = misfit
    this.#templates = new TemplateStructWriter(writers)
    this.#derived = new DerivedStructWriter(writers, compileCell)
  }

  write(value: Struct, out: ByteWriter): void {
    const { schema } = value
    if (schema !== this.#schema && schema !== this.#other) this.#accept(value)
    const writers = this.#writers
    if (value instanceof RawStruct) {
      if (value.layout !== this.#layout) this.#compile(value.layout)
      writeRawStruct(value, this.#cellWriters, writers, out)
    } else if (value instanceof TemplateStruct) {
      this.#templates.write(value, out)
    } else if (value instanceof DerivedStruct) {
      this.#derived.write(value, out)
    } else {
      const { length } = writers
      // In range: there is one writer per field.
      for (let i = 0; i < length; i++) (writers[i] as ValueWriter)(value.at(i), out)
    }
  }

  #accept(value: Struct): void {
    if (!hasSameShape(value.schema, this.#schema)) throw this.#misfit(value)
    this.#other = value.schema
  }

  #compile(layout: RawLayout): void {
    this.#cellWriters = layout.fields.map((field, i) => this.#compileCell(field, i))
    this.#layout = layout
  }
}
