import type { JsonValue } from './json-value.ts'

/**
 * How a column is compared: both its value on the server and that in an event become the same text when they are equal.
 * The text is the server's own, from an expression in the SELECT; that of the event is computed back from the value.
 */
export interface ColumnForm {
  /** The expression of the text, of a quoted column. */
  readonly sql: (column: string) => string
  /**
   * `plain`: the texts are equal byte for byte and contain no control characters. `free`: they are equal byte for byte.
   * `raw`: the server's text needs `ofServer` first, so that the server cannot compute a checksum of it.
   */
  readonly kind: 'plain' | 'free' | 'raw'
  /** Values may be larger than the server allows for an expression: their checksum is that of the column alone. */
  readonly isLong?: boolean
  /** The normal form of a text of the server; default: the text. */
  readonly ofServer?: (text: string) => string
  /**
   * The text of a value of an event that is not null. Null: an event cannot have this value.
   *
   * @throws NeedsExactNumbers
   */
  readonly ofTopic: (value: JsonValue) => string | null
  /** The text as a literal that the server compares with the column; null: the order of the column is another one. */
  readonly literal: ((text: string) => string) | null
  /** Whether events have another value instead of this one, which their type cannot represent. */
  readonly isUnrepresentable?: (serverText: string) => boolean
}

export const textLiteral = (text: string): string => `_utf8mb4 x'${Buffer.from(text).toString('hex')}'`
export const numberLiteral = (text: string): string => text
export const plainTextLiteral = (text: string): string => `'${text}'`
