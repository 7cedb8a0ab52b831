import { connectErrors, type ConnectValue, type Schema } from '@tributary/connect-api'
import type { ByteRun, ByteWriter } from '@tributary/support'
import { describeValue } from '../value-description.ts'
import { sharedRun } from './shared-run.ts'

/** Appends one value, with the punctuation and the name that stand before it. */
export type PayloadWriter = (value: ConnectValue, out: ByteWriter) => void

/** A place in the document where values of one schema stand: what is known about it when the schema is compiled. */
export class ValueSite {
  readonly schema: Schema
  /** What stands before the value: `,"name":` or nothing. */
  readonly lead: string
  /** For error messages: `value.after.id`. */
  readonly path: string
  /** What is written for null, with the lead; null where null is not allowed. */
  readonly #nullRun: ByteRun | null

  /** `nullText`: what null becomes (`null`, or the default), or null where it is not allowed. */
  constructor(schema: Schema, place: { readonly lead: string; readonly path: string }, nullText: string | null) {
    this.schema = schema
    this.lead = place.lead
    this.path = place.path
    this.#nullRun = nullText === null ? null : sharedRun(place.lead + nullText)
  }

  /** Appends null; throws when the value is something else that does not fit, or null is not allowed. */
  writeOther(value: ConnectValue, out: ByteWriter): void {
    if (value !== null) throw this.misfit(value)
    if (this.#nullRun === null) throw connectErrors.VALUE_REQUIRED({ field: this.path })
    out.run(this.#nullRun)
  }

  misfit(value: ConnectValue): Error {
    return connectErrors.VALUE_MISFIT({
      value: describeValue(value),
      type: describeSchema(this.schema),
      field: this.path,
    })
  }
}

function describeSchema({ type, name, parameters }: Schema): string {
  const scale = parameters?.['scale']
  return name === null ? type : `${type} (${name}${scale === undefined ? '' : ` of scale ${scale}`})`
}
