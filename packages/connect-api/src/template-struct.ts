import { assert } from '@tributary/support'
import { type ConnectValue, type Schema, Struct } from './data.ts'

/**
 * What many structs have in common: all fields but some. Found by identity, so one object serves all of them; so are its values, which do not
 * change after it was made.
 */
export class StructTemplate {
  readonly schema: Schema
  /** One per field; those of varying fields are not looked at. */
  readonly values: readonly ConnectValue[]
  /** Indexes of the fields that each struct has its own values for, ascending. */
  readonly varying: readonly number[]

  constructor(schema: Schema, values: readonly ConnectValue[], varying: readonly number[]) {
    this.schema = schema
    this.values = values
    this.varying = varying
  }
}

/**
 * A struct that says what it shares with others: a converter needs to write that once. The source block of an event is one: the
 * events of a transaction differ only in position and row.
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
    const nth = this.template.varying.indexOf(index)
    if (nth < 0) return super.at(index)
    const value = this.own[nth]
    assert(value !== undefined, 'there is a value for each varying field')
    return value
  }
}
