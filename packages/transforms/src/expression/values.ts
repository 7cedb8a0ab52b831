import type { Decimal, Field, Schema, Struct } from '@tributary/connect-api'

// Java's types decide what Groovy computes, so values keep them: an Integer is a number, a Long a bigint. In JavaScript
// all numbers are numbers, and a bigint is a Long beyond 2^53.

/** A value while an expression is evaluated. `undefined` occurs in JavaScript only. */
export type Value =
  | null
  | undefined
  | boolean
  | number
  | bigint
  | string
  | SmallInteger
  | FloatingNumber
  | BigInteger
  | Decimal
  | InterpolatedText
  | Uint8Array
  | JavaDate
  | Matching
  | Struct
  | Schema
  | SchemaField
  | HeaderValue
  | readonly Value[]
  | ReadonlyMap<Value, Value>

/** Java's Byte and Short, which equal no Integer in `equals` and in lists. */
export class SmallInteger {
  readonly value: number
  readonly bits: 8 | 16

  constructor(value: number, bits: 8 | 16) {
    this.value = value
    this.bits = bits
  }
}

/** Java's Float and Double in Groovy, where a number is an Integer. */
export class FloatingNumber {
  readonly value: number
  readonly bits: 32 | 64

  constructor(value: number, bits: 32 | 64) {
    this.value = value
    this.bits = bits
  }
}

/** Java's BigInteger. */
export class BigInteger {
  readonly value: bigint

  constructor(value: bigint) {
    this.value = value
  }
}

/** Groovy's GString: a text with inserted values, which equals a String with `==`, but not with `equals` or in lists. */
export class InterpolatedText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A value of Connect's logical types Date, Time and Timestamp: java.util.Date. */
export class JavaDate {
  readonly milliseconds: number

  constructor(milliseconds: number) {
    this.milliseconds = milliseconds
  }
}

/** What Groovy's `=~` yields: its truth is whether the pattern was found. */
export class Matching {
  readonly isFound: boolean

  constructor(isFound: boolean) {
    this.isFound = isFound
  }
}

/** A field of a schema: `valueSchema.field('op')`. */
export class SchemaField {
  readonly field: Field

  constructor(field: Field) {
    this.field = field
  }
}

/** An element of `header`. */
export class HeaderValue {
  readonly schema: Schema | null
  readonly value: Value

  constructor(schema: Schema | null, value: Value) {
    this.schema = schema
    this.value = value
  }
}
