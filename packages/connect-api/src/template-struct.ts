import { assert } from '@tributary/support'
import { type ConnectValue, type Schema, Struct } from './data.ts'

/**
 * The fields that many structs share. They use one object, because compiled work is keyed by its identity. Immutable,
 * and so are its values.
 */
export class StructTemplate {
  readonly schema: Schema
  /** One per field; those of varying fields are ignored. */
  readonly values: readonly ConnectValue[]
  /** Indexes of the fields for which each struct has its own value, ascending. */
  readonly varying: readonly number[]

  constructor(schema: Schema, values: readonly ConnectValue[], varying: readonly number[]) {
    this.schema = schema
    this.values = values
    this.varying = varying
  }
}

/**
 * A struct that shares fields with others; a converter needs to encode those only once. An example is the source block:
 * the events of a transaction differ only in position and row.
 */
export class TemplateStruct extends Struct {
  readonly template: StructTemplate
  /** One per varying field of the template. */
  readonly own: readonly ConnectValue[]

  constructor(template: StructTemplate, own: readonly ConnectValue[]) {
    super(template.schema, template.values)
    this.template = template
    this.own = own
  }

  override at(index: number): ConnectValue {
    const { varying } = this.template
    for (let nth = 0; nth < varying.length; nth++) {
      if (varying[nth] !== index) continue
      const value = this.own[nth]
      assert(value !== undefined, 'there is a value for each varying field')
      return value
    }
    return super.at(index)
  }
}
