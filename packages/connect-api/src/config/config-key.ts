export type ConfigType = 'BOOLEAN' | 'STRING' | 'INT' | 'SHORT' | 'LONG' | 'DOUBLE' | 'LIST' | 'CLASS' | 'PASSWORD'
export type Importance = 'HIGH' | 'MEDIUM' | 'LOW'
export type Width = 'NONE' | 'SHORT' | 'MEDIUM' | 'LONG'

/** A value after parsing, by type: LIST → string[], numbers → number (LONG beyond 2^53: bigint), others → string. */
export type ParsedValue = string | number | bigint | boolean | readonly string[] | null

/** All parsed values of a configuration, for checks that look at more than one. */
export type ParsedValues = ReadonlyMap<string, ParsedValue>

/** Why a value is refused, without its name: `Must be larger than the maximum batch size`. Null: it is accepted. */
export type Validator = (value: ParsedValue, all: ParsedValues) => string | null

/** One property of a configuration (Kafka's ConfigDef.ConfigKey). */
export interface ConfigKey {
  readonly name: string
  readonly type: ConfigType
  /** What it means, for people: one or two sentences. */
  readonly documentation: string
  /** As text, the way a user would write it. Absent: the property is required. Null: no default, not required. */
  readonly defaultValue?: string | null
  readonly importance?: Importance
  readonly group?: string
  readonly displayName?: string
  readonly width?: Width
  readonly dependents?: readonly string[]
  /** Checked in order; the first refusal is reported. */
  readonly validators?: readonly Validator[]
  /** What a form may offer. */
  readonly recommendedValues?: readonly string[]
  /** Other spellings, looked at when the name itself is absent. */
  readonly aliases?: readonly string[]
}

/** What a configuration says about one property (Kafka's ConfigValue). */
export interface ConfigValue {
  readonly name: string
  /** As given, or the default, as text; null when there is none or it could not be parsed. A password is `[hidden]`. */
  readonly value: string | null
  readonly errors: readonly string[]
  readonly recommendedValues: readonly string[]
}
