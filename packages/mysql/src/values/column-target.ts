import type { ByteWriter } from '@tributary/support'
import type { Charset } from '../types/charset.ts'

/**
 * What a column's values become, and how they are handed over: without a value object in between, in arguments.
 *
 * Two codecs call a target: the binlog row codec (`binlog/`) and the text row codec (`resultset/`). For one row of one table
 * both call it with the same arguments; that is what makes a snapshot and a stream give the same bytes. T is whatever the
 * owner makes of a value; `of` may be null where the value is taken as it is.
 */
export type ColumnTarget<T> =
  | {
      readonly kind: 'integer'
      readonly isUnsigned: boolean
      /** A bigint beyond ±2^53. Null: the number itself. */
      readonly of: ((value: number | bigint) => T) | null
    }
  /** `isPlainText`: what `of` gives is the text of the number, with `scale` digits behind the point. */
  | {
      readonly kind: 'decimal'
      readonly isPlainText?: boolean
      readonly of: (unscaled: number | bigint, scale: number) => T
    }
  | { readonly kind: 'float' | 'double'; readonly of: ((value: number) => T) | null }
  /** Bytes in the charset of the column, which is said where the bytes may be taken as they are. */
  | {
      readonly kind: 'text'
      readonly charset?: Charset
      readonly of: (bytes: Buffer, start: number, end: number) => T
    }
  /** A BINARY column's trailing zero bytes are missing in the binlog and there in a text row. */
  | {
      readonly kind: 'binary'
      /** Said where the bytes may be taken as they are when they are at least so many. */
      readonly plainFrom?: number
      readonly of: (bytes: Buffer, start: number, end: number) => T
    }
  /** Most significant byte first. */
  | { readonly kind: 'bit'; readonly of: (bytes: Buffer, start: number, end: number) => T }
  /** UTF-8 text without spaces between tokens, scalars as MySQL prints them. */
  | { readonly kind: 'json'; readonly of: (bytes: Buffer, start: number, end: number) => T }
  /** `date`: year × 10000 + month × 100 + day; any part may be 0, and the day may not exist. */
  | { readonly kind: 'date'; readonly of: (date: number) => T }
  /** Microseconds, negative too, up to ±838:59:59. */
  | { readonly kind: 'time'; readonly of: (micros: number) => T }
  /** `date` as above, and the microseconds since midnight. */
  | { readonly kind: 'datetime'; readonly of: (date: number, microsOfDay: number) => T }
  /** Seconds since 1970 and microseconds of the second; second 0 is the zero timestamp. */
  | {
      readonly kind: 'timestamp'
      /** Said where the value is a text. */
      readonly print?: TimestampPrinter
      readonly of: (seconds: number, micros: number) => T
    }
  | { readonly kind: 'year'; readonly of: ((year: number) => T) | null }
  /** Number of the member from 1; 0 is the empty string of an invalid value. */
  | { readonly kind: 'enum'; readonly of: (index: number) => T }
  /** Bit n is member n + 1. */
  | { readonly kind: 'set'; readonly of: (bits: number | bigint) => T }

/** Appends the text that `of` gives for the same arguments; false, and nothing appended, when that is another value. */
export type TimestampPrinter = (seconds: number, micros: number, out: ByteWriter) => boolean

export type ColumnKind = ColumnTarget<unknown>['kind']
