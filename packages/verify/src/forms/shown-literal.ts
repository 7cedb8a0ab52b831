import { textLiteral } from '@tributary/connector-mysql'
import { decimalText } from './column-forms.ts'
import { integerText, isObject, jsonText, type JsonValue } from './json-value.ts'
import { dateForm, dateTimeForm, timeForm, timestampForm } from './temporal-forms.ts'

/**
 * A value of a record as SQL writes it, for people: numbers, dates and bytes by the schema in the record.
 *
 * @param schema of the field, as the JSON converter writes it; null: the topic has no schemas
 */
export function shownLiteral(value: JsonValue, schema: JsonValue): string {
  if (value === null) return 'NULL'
  const { name = null, type = null, parameters = null } = isObject(schema) ? schema : {}
  const text = typeof name === 'string' ? namedText(name, value, parameters) : null
  if (text !== null) return text
  if (type === 'bytes' && typeof value === 'string') return `x'${Buffer.from(value, 'base64').toString('hex')}'`
  return typeof value === 'string' ? textLiteral(value) : jsonText(value)
}

/** Null: a name without a form of its own, or a value that it does not have. */
function namedText(name: string, value: JsonValue, parameters: JsonValue): string | null {
  switch (name) {
    case 'org.apache.kafka.connect.data.Decimal':
      return decimalText(value, scaleOf(isObject(parameters) ? parameters['scale'] : null), true)
    case 'io.debezium.data.VariableScaleDecimal':
      return isObject(value) ? decimalText(value['value'] ?? null, scaleOf(value['scale']), true) : null
    case 'io.debezium.data.Bits':
      return bitsText(value)
    default:
      return quotedOrNull(temporalText(name, value))
  }
}

function temporalText(name: string, value: JsonValue): string | null {
  switch (name) {
    case 'io.debezium.time.Date':
    case 'io.debezium.time.IsoDate':
    case 'org.apache.kafka.connect.data.Date':
      return dateForm.ofTopic(value)
    case 'io.debezium.time.Timestamp':
    case 'io.debezium.time.MicroTimestamp':
    case 'io.debezium.time.NanoTimestamp':
    case 'io.debezium.time.IsoTimestamp':
    case 'org.apache.kafka.connect.data.Timestamp':
      return withoutZeros(dateTimeForm(name, DIGITS).ofTopic(value))
    case 'io.debezium.time.ZonedTimestamp':
      return withoutZeros(timestampForm(DIGITS).ofTopic(value))
    case 'io.debezium.time.Time':
    case 'io.debezium.time.MicroTime':
    case 'io.debezium.time.NanoTime':
    case 'io.debezium.time.IsoTime':
    case 'org.apache.kafka.connect.data.Time':
      return withoutZeros(timeForm(name, DIGITS).ofTopic(value))
    default:
      return null
  }
}

/** The most that a column has. Its own number is not in the schema, so zeros at the end are left out. */
const DIGITS = 6

function withoutZeros(text: string | null): string | null {
  return text?.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '') ?? null
}

function scaleOf(value: JsonValue | undefined): number {
  const scale = Number(typeof value === 'string' ? value : integerText(value ?? null))
  return scale >= 0 && scale <= SCALE_MAX ? scale : 0
}

/** Of the DECIMAL of MariaDB; that of MySQL has 30. */
const SCALE_MAX = 38

/** The bytes have the lowest bits first. */
function bitsText(value: JsonValue): string | null {
  if (typeof value !== 'string') return null
  const hex = Buffer.from(value, 'base64').toReversed()
  return `b'${BigInt(`0x0${Buffer.from(hex).toString('hex')}`).toString(2)}'`
}

function quotedOrNull(text: string | null): string | null {
  return text === null ? null : textLiteral(text)
}
