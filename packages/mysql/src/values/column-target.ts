import type { ByteWriter } from '@tributary/support'
import type { Charset } from '../types/charset.ts'

/**
 * Converts the values of a column. Codecs pass a value as arguments, without allocating an object for it.
 *
 * Two codecs call a target: the binlog row codec (`binlog/`) and the text row codec (`resultset/`). For the same row
 * both pass the same arguments, which is why snapshot and stream write the same bytes. T is the result; `of` may be
 * null when the value is used unchanged.
 */
export type ColumnTarget<T> =
  | {
      readonly kind: 'integer'
      readonly isUnsigned: boolean
      /** The value is a bigint beyond ±2^53. Null: the number itself is the result. */
      readonly of: ((value: number | bigint) => T) | null
    }
  /** `isPlainText`: the result of `of` is the text of the number, with `scale` digits after the point. */
  | {
      readonly kind: 'decimal'
      readonly isPlainText?: boolean
      readonly of: (unscaled: number | bigint, scale: number) => T
    }
  | { readonly kind: 'float' | 'double'; readonly of: ((value: number) => T) | null }
  /** Bytes in the charset of the column, which is set when the bytes may be used unchanged. */
  | {
      readonly kind: 'text'
      readonly charset?: Charset
      readonly of: (bytes: Buffer, start: number, end: number) => T
    }
  /** The binlog omits trailing zero bytes of a BINARY column; a text row has them. */
  | {
      readonly kind: 'binary'
      /** Set when values of at least so many bytes may be used unchanged. */
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
      /** Set when the result is a text. */
      readonly print?: TimestampPrinter
      readonly of: (seconds: number, micros: number) => T
    }
  | { readonly kind: 'year'; readonly of: ((year: number) => T) | null }
  /** Number of the member from 1; 0 is the empty string of an invalid value. */
  | { readonly kind: 'enum'; readonly of: (index: number) => T }
  /** Bit n is member n + 1. */
  | { readonly kind: 'set'; readonly of: (bits: number | bigint) => T }
  /** `geometry`: int<4> SRID · well-known binary. `vector`: little-endian IEEE 754 of 4 bytes for each dimension. */
  | { readonly kind: 'geometry' | 'vector'; readonly of: (bytes: Buffer, start: number, end: number) => T }
  /** UUID, INET4 and INET6 of MariaDB: the text that the server prints. */
  | { readonly kind: FixedBinary; readonly of: (text: string) => T }
  /**
   * A type that nothing else is known of: the bytes of the binlog without the length before them, in a result those that
   * the server sends.
   */
  | { readonly kind: 'raw'; readonly of: (bytes: Buffer, start: number, end: number) => T }

/** Types of MariaDB that are stored in a fixed number of bytes and printed as text. */
export type FixedBinary = 'uuid' | 'inet4' | 'inet6'

/** Appends the text that `of` returns for the same arguments; returns false and appends nothing if it is no text. */
export type TimestampPrinter = (seconds: number, micros: number, out: ByteWriter) => boolean

export type ColumnKind = ColumnTarget<unknown>['kind']
