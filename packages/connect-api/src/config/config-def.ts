import { assert } from '@tributary/support'
import type { ConfigKey, ConfigType, ConfigValue, ParsedValue, Refusal } from './config-key.ts'
import { kafkaMessages, type ConfigMessages } from './config-messages.ts'

type ConfigInput = Readonly<Record<string, string | null | undefined>>

type Modernize = (input: ConfigInput) => ConfigInput

/**
 * Defines the properties of a configuration, with their types, defaults and checks.
 *
 *     const def = new ConfigDef([{ name: 'tasks.max', type: 'INT', defaultValue: '1', documentation: '…' }])
 *     def.validate({ 'tasks.max': 'x' })          // each property with its errors
 *     def.parse({}).integer('tasks.max')          // 1; throws when any property is invalid
 */
export class ConfigDef {
  readonly keys: readonly ConfigKey[]
  readonly #messages: ConfigMessages
  readonly #modernize: Modernize

  /** `modernize`: replaces old names and values of properties by the present ones before they are read. */
  constructor(
    keys: readonly ConfigKey[],
    messages: ConfigMessages = kafkaMessages,
    modernize: Modernize = (input) => input,
  ) {
    assert(new Set(keys.map((key) => key.name)).size === keys.length, 'a configuration property is defined twice')
    this.keys = keys
    this.#messages = messages
    this.#modernize = modernize
  }

  /** Returns both definitions as one, with the messages of this one. */
  with(keys: readonly ConfigKey[]): ConfigDef {
    return new ConfigDef([...this.keys, ...keys], this.#messages, this.#modernize)
  }

  /** Returns each defined property with its value and errors, in order of definition. Ignores unknown properties. */
  validate(input: ConfigInput): readonly ConfigValue[] {
    const { parsed, errors } = this.#read(input)
    return this.keys.map((key) => ({
      name: key.name,
      value: parsed.has(key.name) ? toText(key, parsed.get(key.name) ?? null) : null,
      errors: errors.get(key.name) ?? [],
      recommendedValues: key.recommendedValues ?? [],
    }))
  }

  /** Returns the values of a valid configuration; throws the first error of an invalid one. */
  parse(input: ConfigInput): ConfigValues {
    const { parsed, errors } = this.#read(input)
    for (const [, messages] of errors) throw new ConfigError(messages[0] ?? 'invalid configuration')
    return new ConfigValues(parsed)
  }

  #read(given: ConfigInput): { parsed: Map<string, ParsedValue>; errors: Map<string, readonly string[]> } {
    const input = this.#modernize(given)
    const parsed = new Map<string, ParsedValue>()
    const errors = new Map<string, readonly string[]>()
    for (const key of this.keys) {
      const result = this.#parseOne(key, textOf(key, input))
      if ('value' in result) parsed.set(key.name, result.value)
      else errors.set(key.name, result.errors)
    }
    for (const key of this.keys) {
      if (errors.has(key.name)) continue
      const value = parsed.get(key.name) ?? null
      for (const validator of key.validators ?? []) {
        const reason = validator(value, parsed)
        if (reason === null) continue
        errors.set(key.name, [this.#refusalOf(key, value, reason)])
        break
      }
    }
    return { parsed, errors }
  }

  #refusalOf(key: ConfigKey, value: ParsedValue, reason: Refusal): string {
    if (typeof reason === 'function') return reason(key.name)
    return this.#messages.refused(key.name, toText(key, value) ?? 'null', reason)
  }

  #parseOne(key: ConfigKey, text: string | null | undefined): { value: ParsedValue } | { errors: readonly string[] } {
    if (text === undefined) {
      if (key.defaultValue === undefined) return { errors: this.#messages.missing(key.name) }
      return { value: key.defaultValue === null ? null : (parseText(key.type, key.defaultValue) ?? null) }
    }
    if (text === null) return { value: null }
    const value = parseText(key.type, text)
    if (value !== undefined) return { value }
    const isChecked = (key.validators ?? []).length > 0
    return { errors: this.#messages.wrongType(key.name, text, key.type, isChecked) }
  }
}

/** The configuration is invalid; the message is its first error. */
export class ConfigError extends Error {
  override readonly name: string = 'org.apache.kafka.common.config.ConfigException'
}

/** Parsed values by name. Reading a property that is not defined, or with another type, is a bug. */
export class ConfigValues {
  readonly #values: ReadonlyMap<string, ParsedValue>

  constructor(values: ReadonlyMap<string, ParsedValue>) {
    this.#values = values
  }

  #get(name: string): ParsedValue {
    assert(this.#values.has(name), `${name} is not a defined property`)
    return this.#values.get(name) ?? null
  }

  /** The text, or null when there is neither value nor default. */
  optionalString(name: string): string | null {
    const value = this.#get(name)
    assert(value === null || typeof value === 'string', `${name} is not text`)
    return value
  }

  string(name: string): string {
    const value = this.optionalString(name)
    assert(value !== null, `${name} has no value`)
    return value
  }

  /** A whole number up to ±2^53. */
  integer(name: string): number {
    const value = this.#get(name)
    assert(typeof value === 'number', `${name} is not a number`)
    return value
  }

  /** Of a DOUBLE. */
  double(name: string): number {
    const value = this.#get(name)
    assert(typeof value === 'number', `${name} is not a number`)
    return value
  }

  optionalInteger(name: string): number | null {
    const value = this.#get(name)
    assert(value === null || typeof value === 'number', `${name} is not a number`)
    return value
  }

  boolean(name: string): boolean {
    const value = this.#get(name)
    assert(typeof value === 'boolean', `${name} is not a boolean`)
    return value
  }

  /** Entries of a comma-separated list, trimmed; empty when there is no value. */
  list(name: string): readonly string[] {
    const value = this.#get(name)
    if (value === null) return []
    assert(Array.isArray(value), `${name} is not a list`)
    return value as readonly string[]
  }
}

function textOf(key: ConfigKey, input: ConfigInput): string | null | undefined {
  if (input[key.name] !== undefined) return input[key.name]
  for (const alias of key.aliases ?? []) if (input[alias] !== undefined) return input[alias]
  return undefined
}

/** The ranges of Java's short, int and long: Kafka Connect refuses other values. */
const RANGES = {
  SHORT: [-(2n ** 15n), 2n ** 15n - 1n],
  INT: [-(2n ** 31n), 2n ** 31n - 1n],
  LONG: [-(2n ** 63n), 2n ** 63n - 1n],
} as const

/** What Java's Double.valueOf accepts, except hexadecimal; the letter at the end is part of Java's literals. */
const JAVA_DOUBLE = /^[+-]?(Infinity|(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?[dDfF]?)$/

/** The value, or undefined when the text is not of the type. */
function parseText(type: ConfigType, text: string): ParsedValue | undefined {
  const trimmed = text.trim()
  switch (type) {
    case 'BOOLEAN':
      return /^true$/i.test(trimmed) ? true : /^false$/i.test(trimmed) ? false : undefined
    case 'SHORT':
    case 'INT':
    case 'LONG': {
      if (!/^[+-]?\d+$/.test(trimmed)) return undefined
      const value = BigInt(trimmed.replace('+', ''))
      if (value < RANGES[type][0] || value > RANGES[type][1]) return undefined
      return BigInt.asIntN(54, value) === value ? Number(value) : value
    }
    case 'DOUBLE': {
      if (trimmed === 'NaN') return Number.NaN
      return JAVA_DOUBLE.test(trimmed) ? Number(trimmed.replace(/[dDfF]$/, '')) : undefined
    }
    case 'LIST':
      return trimmed === '' ? [] : trimmed.split(/\s*,\s*/)
    case 'CLASS':
    case 'STRING':
      return trimmed
    case 'PASSWORD':
      return text
  }
}

/** Returns a value as answers and messages show it. */
function toText(key: ConfigKey, value: ParsedValue): string | null {
  if (value === null) return null
  if (key.type === 'PASSWORD') return '[hidden]'
  if (key.type === 'DOUBLE' && Number.isInteger(value)) return `${String(value)}.0`
  return Array.isArray(value) ? value.join(',') : String(value)
}
