export const decimalModes = ['precise', 'double', 'string'] as const
export type DecimalMode = (typeof decimalModes)[number]

export const timePrecisionModes = [
  'adaptive_time_microseconds',
  'connect',
  'isostring',
  'microseconds',
  'nanoseconds',
] as const
export type TimePrecisionMode = (typeof timePrecisionModes)[number]

export const bigintUnsignedModes = ['long', 'precise'] as const
export type BigintUnsignedMode = (typeof bigintUnsignedModes)[number]

export const binaryModes = ['bytes', 'base64', 'base64-url-safe', 'hex'] as const
export type BinaryMode = (typeof binaryModes)[number]

/** How column values are represented: section "data types" of the connector's properties. */
export interface ValueOptions {
  /** `decimal.handling.mode` */
  readonly decimal: DecimalMode
  /** `time.precision.mode` */
  readonly timePrecision: TimePrecisionMode
  /** `bigint.unsigned.handling.mode` */
  readonly bigintUnsigned: BigintUnsignedMode
  /** `binary.handling.mode` */
  readonly binary: BinaryMode
  /** `enable.time.adjuster`: years 0 to 99 become 1970 to 2069. */
  readonly adjustsTwoDigitYears: boolean
  /** `unavailable.value.placeholder`, as bytes. */
  readonly unavailable: Buffer
}
