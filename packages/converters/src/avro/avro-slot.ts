import { connectErrors, type ConnectValue, type Schema } from '@tributary/connect-api'
import { ByteWriter } from '@tributary/support'
import type { ValueWriter } from '../writers/value-writer.ts'
import { describeValue } from '../text/value-description.ts'

/** A place in the record that values of one schema fill: all that is known about it when the schema is compiled. */
export class AvroSlot {
  readonly schema: Schema
  /** For error messages: `value.after.id`. */
  readonly path: string
  /** The union branch written before each value; NO_BRANCH where there is no union. */
  readonly branch: number
  /** The encoding of null; null where null is not allowed. */
  readonly #nullBytes: Uint8Array | null

  constructor(schema: Schema, path: string, nullBytes: Uint8Array | null) {
    this.schema = schema
    this.path = path
    this.branch = schema.isOptional ? (isNullFirst(schema) ? SECOND_BRANCH : FIRST_BRANCH) : NO_BRANCH
    this.#nullBytes = nullBytes
  }

  /** Handles a value of another type than the schema's: appends null where it is allowed, throws otherwise. */
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

/** Branches 0 and 1 in zig-zag encoding. */
const FIRST_BRANCH = 0
const SECOND_BRANCH = 2
export const NO_BRANCH: number = -1

/**
 * Null is the first branch of an optional schema's union unless there is a default, which in Avro must be of the first
 * branch.
 */
function isNullFirst({ type, defaultValue }: Schema): boolean {
  return defaultValue === null || type === 'struct'
}

/** The encoding of null for a schema whose default does not replace it; null where null is not allowed. */
export function nullOf(schema: Schema): Uint8Array | null {
  if (!schema.isOptional) return null
  return Uint8Array.of(isNullFirst(schema) ? FIRST_BRANCH : SECOND_BRANCH)
}

/** Returns the bytes that a writer appends for a value. */
export function bytesWritten(write: ValueWriter, value: ConnectValue): Uint8Array {
  const out = new ByteWriter(64)
  write(value, out)
  return out.copy()
}
