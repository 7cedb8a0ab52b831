import type { Validator } from '@tributary/connect-api'

/** Accepts one of the values, in any case, with Debezium's text of the refusal. */
export function enumValidator(values: readonly string[]): Validator {
  return (value) =>
    typeof value === 'string' && values.includes(value.toLowerCase())
      ? null
      : `Value must be one of ${values.join(', ')}`
}
