import { dateText, dateTimeText, isExistingDate, timeText, withDigits } from './civil-text.ts'
import { type ColumnForm, plainTextLiteral } from './column-form.ts'
import { integerText, type JsonValue } from './json-value.ts'

/** `enable.time.adjuster` moves the years 0 to 99, by default. */
const ADJUSTED_BEFORE = '0100'

const asText = (column: string): string => `CAST(${column} AS CHAR)`

/** DATE: days since 1970, or an ISO date. */
export const dateForm: ColumnForm = {
  sql: asText,
  kind: 'plain',
  ofTopic: (value) =>
    typeof value === 'string' ? value.replace(/Z$/, '') : fromInteger(value, (days) => dateText(Number(days))),
  literal: plainTextLiteral,
  isUnrepresentable: (text) => !isExistingDate(text) || text < ADJUSTED_BEFORE,
}

/** DATETIME: a number since 1970 in the unit of its schema, or an ISO text. */
export function dateTimeForm(schemaName: string, digits: number): ColumnForm {
  const shown = schemaName === 'org.apache.kafka.connect.data.Timestamp' ? Math.min(digits, 3) : digits
  const perMicro = MICROS[schemaName]
  return {
    sql: shown === digits ? asText : (column) => `LEFT(${asText(column)}, ${20 + shown})`,
    kind: 'plain',
    ofTopic: (value) => {
      if (typeof value === 'string') return withDigits(value.replace('T', ' ').replace(/Z$/, ''), digits)
      return fromInteger(value, (number) => dateTimeText(microsOf(number, perMicro), shown))
    },
    // A text that is cut has no place in the order.
    literal: shown === digits ? plainTextLiteral : null,
    isUnrepresentable: (text) =>
      !isExistingDate(text) ||
      text < ADJUSTED_BEFORE ||
      (schemaName.endsWith('NanoTimestamp') && (text < '1678' || text >= '2262')),
  }
}

/** TIMESTAMP: ISO text in UTC. Releases of the reference leave out zeros at the end of the fraction. */
export function timestampForm(digits: number): ColumnForm {
  return {
    sql: asText,
    kind: 'plain',
    ofTopic: (value) =>
      typeof value === 'string' && value.endsWith('Z')
        ? withDigits(value.replace('T', ' ').slice(0, -1), digits)
        : null,
    literal: plainTextLiteral,
    isUnrepresentable: (text) => !isExistingDate(text) || text < ADJUSTED_BEFORE,
  }
}

/** TIME: a number in the unit of its schema, or an ISO text. */
export function timeForm(schemaName: string, digits: number): ColumnForm {
  const isMillis = schemaName === 'org.apache.kafka.connect.data.Time'
  const shown = isMillis ? Math.min(digits, 3) : digits
  const perMicro = isMillis ? MILLI : MICROS[schemaName]
  const isOfDay = isMillis || schemaName === 'io.debezium.time.IsoTime'
  return {
    sql: shown === digits ? asText : (column) => `TIME_FORMAT(${column}, '%H:%i:%s.%f')`,
    kind: shown === digits ? 'plain' : 'raw',
    ...(shown === digits ? {} : { ofServer: (text: string) => withDigits(text, shown) }),
    ofTopic: (value) => {
      if (typeof value === 'string') return withDigits(value.replace(/Z$/, ''), digits)
      return fromInteger(value, (number) => timeText(microsOf(number, perMicro), shown))
    },
    literal: shown === digits ? plainTextLiteral : null,
    // Only a time of the day fits these types.
    ...(isOfDay
      ? { isUnrepresentable: (text: string) => text.startsWith('-') || text >= '24' || text.length > 15 }
      : {}),
  }
}

/** Units per microsecond, or microseconds per unit when negative. */
const MILLI = -1000n
const MICROS: Readonly<Record<string, bigint>> = {
  'io.debezium.time.Timestamp': MILLI,
  'org.apache.kafka.connect.data.Timestamp': MILLI,
  'io.debezium.time.MicroTimestamp': 1n,
  'io.debezium.time.MicroTime': 1n,
  'io.debezium.time.NanoTimestamp': 1000n,
  'io.debezium.time.NanoTime': 1000n,
}

function microsOf(value: bigint, perMicro = 1n): bigint {
  return perMicro < 0n ? value * -perMicro : value / perMicro
}

function fromInteger(value: JsonValue, of: (value: bigint) => string | null): string | null {
  const text = integerText(value)
  return text === null ? null : of(BigInt(text))
}
