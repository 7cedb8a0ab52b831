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

/**
 * Refuses values of Debezium that this version does not support.
 *
 * @param reasons why a value is never supported: the end of a sentence that begins with it
 */
export function supported(values: readonly string[], reasons: Readonly<Record<string, string>> = {}): Validator {
  return (value) => {
    if (value === null || values.includes(text(value).toLowerCase())) return null
    const reason = reasons[text(value).toLowerCase()] ?? 'is not supported by this version of Tributary yet'
    return `'${text(value)}' ${reason}; supported: ${values.join(', ')}`
  }
}

/** The value as it is written in a configuration. */
export function text(value: ParsedValue): string {
  return Array.isArray(value) ? value.join(',') : String(value)
}

/** The names of a list of channels. */
export function channelsOf(value: string): readonly string[] {
  return value
    .split(',')
    .map((channel) => channel.trim().toLowerCase())
    .filter((channel) => channel !== '')
}

/**
 * Refuses an empty value when a list of channels has one that needs it.
 *
 * @param list the property with the channels
 * @param refusal the text of Debezium
 */
export function requiredWithChannel(list: string, channel: string, refusal: string): Validator {
  return (value, all) =>
    (value === null || text(value).trim() === '') && channelsOf(text(all.get(list) ?? '')).includes(channel)
      ? refusal
      : null
}
