import type { ConfigMessages, ConfigType } from '@tributary/connect-api'

const EXPECTED: Partial<Record<ConfigType, string>> = {
  INT: 'An integer is expected',
  SHORT: 'A short value is expected',
  LONG: 'A long value is expected',
  DOUBLE: 'A double value is expected',
  BOOLEAN: "Either 'true' or 'false' is expected",
}

/**
 * The refusals of Debezium's connectors (Field.java, 3.6). A value of the wrong type is refused twice: when it is read
 * and when it is checked.
 */
export const debeziumMessages: ConfigMessages = {
  missing: (name) => [invalid(name, 'A value is required')],
  wrongType: (name, _text, type) => {
    const message = invalid(name, EXPECTED[type] ?? 'A value of another type is expected')
    return [message, message]
  },
  refused: (name, _text, reason) => invalid(name, reason),
}

function invalid(name: string, reason: string): string {
  return `The '${name}' value is invalid: ${reason}`
}
