import type { PropertyDifference } from './property-effect.ts'

export type ConfigType = 'BOOLEAN' | 'STRING' | 'INT' | 'SHORT' | 'LONG' | 'DOUBLE' | 'LIST' | 'CLASS' | 'PASSWORD'
export type Importance = 'HIGH' | 'MEDIUM' | 'LOW'
export type Width = 'NONE' | 'SHORT' | 'MEDIUM' | 'LONG'

/** A value after parsing, by type: LIST → string[], numbers → number (LONG beyond ±2^53: bigint), others → string. */
export type ParsedValue = string | number | bigint | boolean | readonly string[] | null

/** All parsed values of a configuration, for checks that need more than one. */
export type ParsedValues = ReadonlyMap<string, ParsedValue>

/**
 * Returns why the value is refused, without the name of the property: `Must be larger than the maximum batch size`.
 * Null: the value is accepted.
 */
export type Validator = (value: ParsedValue, all: ParsedValues) => Refusal | null

/** The reason, or a function that makes the whole message, for texts of Kafka in which the value does not come first. */
export type Refusal = string | ((name: string) => string)

/** One property of a configuration (Kafka's ConfigDef.ConfigKey). */
export interface ConfigKey {
  readonly name: string
  readonly type: ConfigType
  /** One or two sentences for users. */
  readonly documentation: string
  /** As text, as a user would write it. Absent: the property is required. Null: optional without a default. */
  readonly defaultValue?: string | null
  readonly importance?: Importance
  readonly group?: string
  readonly displayName?: string
  readonly width?: Width
  readonly dependents?: readonly string[]
  /** Checked in order; the first refusal is reported. */
  readonly validators?: readonly Validator[]
  /** Values that a form may offer. */
  readonly recommendedValues?: readonly string[]
  /** Other names, which are used when the name itself is absent. */
  readonly aliases?: readonly string[]
  /** Absent: it works as in Kafka Connect and Debezium. */
  readonly difference?: PropertyDifference
}

/** The validated value of one property (Kafka's ConfigValue). */
export interface ConfigValue {
  readonly name: string
  /** The value or default as text; null when there is no value or it could not be parsed. A password is `[hidden]`. */
  readonly value: string | null
  readonly errors: readonly string[]
  readonly recommendedValues: readonly string[]
}
