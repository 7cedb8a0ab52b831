import type { ParsedValue, Validator } from '@tributary/connect-api'

/** After a validator with Debezium's text for values that are too small. */
export function between(minimum: number, maximum: number): Validator {
  return (value) => {
    const number = Number(value)
    return value === null || number < minimum || number <= maximum ? null : `Value must be no more than ${maximum}`
  }
}

/** @param unnamed allowed too, but not listed in the refusal, whose text clients may compare */
export function oneOf(values: readonly string[], unnamed: readonly string[] = []): Validator {
  const allowed = new Set([...values, ...unnamed])
  return (value) =>
    value === null || allowed.has(text(value).toLowerCase()) ? null : `Value must be one of ${values.join(', ')}`
}

/** Refuses values of Debezium that this version does not support. */
export function supported(values: readonly string[]): Validator {
  return (value) =>
    value === null || values.includes(text(value).toLowerCase())
      ? null
      : `'${text(value)}' is not supported by this version of Tributary yet; supported: ${values.join(', ')}`
}

/** The value as it is written in a configuration. */
export function text(value: ParsedValue): string {
  return Array.isArray(value) ? value.join(',') : String(value)
}
