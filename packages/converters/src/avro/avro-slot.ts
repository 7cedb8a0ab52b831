import { connectErrors, type ConnectValue, type Schema } from '@tributary/connect-api'
import { ByteWriter } from '@tributary/support'
import type { ValueWriter } from '../writers/value-writer.ts'
import { describeValue } from '../text/value-description.ts'

/** Where values of one schema stand, and what is known about them when the schema is compiled. */
export class AvroSlot {
  readonly schema: Schema
  /** For error messages: `value.after.id`. */
  readonly path: string
  /** Which branch of a union a value is, as it is written before it; NO_BRANCH where there is no union. */
  readonly branch: number
  /** What null becomes; null where it is not allowed. */
  readonly #nullBytes: Uint8Array | null

  constructor(schema: Schema, path: string, nullBytes: Uint8Array | null) {
    this.schema = schema
    this.path = path
    this.branch = schema.isOptional ? (isNullFirst(schema) ? SECOND_BRANCH : FIRST_BRANCH) : NO_BRANCH
    this.#nullBytes = nullBytes
  }

  /** Appends null; throws when the value is something else that does not fit, or null is not allowed. */
  writeOther(value: ConnectValue, out: ByteWriter): void {
    if (value !== null) throw this.misfit(value)
    if (this.#nullBytes === null) throw connectErrors.VALUE_REQUIRED({ field: this.path })
    out.write(this.#nullBytes)
  }

  misfit(value: ConnectValue): Error {
    const { type, name } = this.schema
    return connectErrors.VALUE_MISFIT({
      value: describeValue(value),
      type: name === null ? type : `${type} (${name})`,
      field: this.path,
    })
  }
}

/** The numbers of the branches 0 and 1 in zig-zag form. */
const FIRST_BRANCH = 0
const SECOND_BRANCH = 2
export const NO_BRANCH: number = -1

/** The union of an optional schema has null first, but where a default stands: Avro's defaults are of the first branch. */
function isNullFirst({ type, defaultValue }: Schema): boolean {
  return defaultValue === null || type === 'struct'
}

/** Null where it is allowed and no default stands in for it. */
export function nullOf(schema: Schema): Uint8Array | null {
  if (!schema.isOptional) return null
  return Uint8Array.of(isNullFirst(schema) ? FIRST_BRANCH : SECOND_BRANCH)
}

/** What is appended for a value. */
export function bytesWritten(write: ValueWriter, value: ConnectValue): Uint8Array {
  const out = new ByteWriter(64)
  write(value, out)
  return out.copy()
}
