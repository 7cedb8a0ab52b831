import type { Validator } from '@tributary/connect-api'

/** The validator with the beginning that Debezium's text has where a transformation checks its own options. */
export function valueValidator(name: string, validator: Validator): Validator {
  return (value, all) => {
    const reason = validator(value, all)
    return reason === null ? null : `The '${name}' value is invalid: ${reason}`
  }
}
