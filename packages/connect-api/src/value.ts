import type { Decimal } from './decimal.ts'
import type { EncodedText } from './encoded-text.ts'
import type { Struct } from './struct.ts'

/** A 64-bit integer: a number while it fits ±2^53, a bigint beyond; never rounded. */
export type Int64 = number | bigint

/**
 * The value of a schema, by type:
 *
 * | schema type             | value                                                                        |
 * | ----------------------- | ---------------------------------------------------------------------------- |
 * | int8 int16 int32        | number                                                                       |
 * | int64                   | Int64                                                                        |
 * | float, double           | number                                                                       |
 * | boolean                 | boolean                                                                      |
 * | string                  | string, or EncodedText (bytes that are decoded only when asked)              |
 * | bytes                   | Uint8Array; Decimal where the schema's name says so                          |
 * | array                   | array of values                                                              |
 * | map                     | Map                                                                          |
 * | struct                  | Struct                                                                       |
 *
 * Dates and times are numbers in the unit that the schema's name says; null stands for no value in every optional schema.
 */
export type ConnectValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | EncodedText
  | Uint8Array
  | Decimal
  | readonly ConnectValue[]
  | ReadonlyMap<ConnectValue, ConnectValue>
  | Struct
