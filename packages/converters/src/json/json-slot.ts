import { connectErrors, type ConnectValue, type Schema } from '@tributary/connect-api'
import type { ByteRun, ByteWriter } from '@tributary/support'
import { describeValue } from '../text/value-description.ts'
import { internedRun } from './interned-run.ts'

/** A place in the document that values of one schema fill: all that is known about it when the schema is compiled. */
export class JsonSlot {
  readonly schema: Schema
  /** The text before the value: `,"name":`, or empty. */
  readonly lead: string
  /** For error messages: `value.after.id`. */
  readonly path: string
  /** The lead and what null is written as; null where the schema forbids null. */
  readonly #nullRun: ByteRun | null

  /** `nullText`: what null is written as (`null`, or the default); null where the schema forbids null. */
  constructor(schema: Schema, place: { readonly lead: string; readonly path: string }, nullText: string | null) {
    this.schema = schema
    this.lead = place.lead
    this.path = place.path
    this.#nullRun = nullText === null ? null : internedRun(place.lead + nullText)
  }

  /** Handles a value of another type than the schema's: appends null where it is allowed, throws otherwise. */
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
