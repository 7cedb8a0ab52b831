import type { Validator } from '@tributary/connect-api'

/** The validator with the beginning that Debezium's text has where a transformation checks its own options. */
export function valueValidator(name: string, validator: Validator): Validator {
  return (value, all) => {
    const reason = validator(value, all)
    if (reason === null) return null
    return `The '${name}' value is invalid: ${typeof reason === 'function' ? reason(name) : reason}`
  }
}

/** Refuses an option that has no value, with Debezium's text. */
export const isRequired: Validator = (value) => {
  const isMissing = value === null || value === '' || (Array.isArray(value) && value.length === 0)
  return isMissing ? 'A value is required' : null
}
