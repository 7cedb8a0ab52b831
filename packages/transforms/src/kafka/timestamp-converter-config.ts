import { ConfigDef, type ConfigValues, oneOf } from '@tributary/connect-api'
import { transformErrors } from '../errors.ts'
import { SimpleDateFormat } from '../java-date/simple-date-format.ts'
import { REPLACE_NULL_OPTION } from '../stage/null-defaults.ts'

/** Forms of a point in time. `unix`: a whole number of a unit. */
export type TimestampForm = 'string' | 'unix' | 'Date' | 'Time' | 'Timestamp'
export type UnixUnit = 'nanoseconds' | 'microseconds' | 'milliseconds' | 'seconds'

export const timestampConverterConfig: ConfigDef = new ConfigDef([
  {
    name: 'field',
    type: 'STRING',
    defaultValue: '',
    documentation: 'The field to convert. Empty: the whole key or value.',
    importance: 'HIGH',
  },
  {
    name: 'target.type',
    type: 'STRING',
    documentation: 'The new form: `string`, `unix` (int64), or a type of Kafka Connect: `Date`, `Time`, `Timestamp`.',
    importance: 'HIGH',
    validators: [oneOf('string', 'unix', 'Date', 'Time', 'Timestamp')],
  },
  {
    name: 'format',
    type: 'STRING',
    defaultValue: '',
    documentation: "Pattern of texts that are read or written, in the letters of Java's SimpleDateFormat; UTC.",
    importance: 'MEDIUM',
  },
  {
    name: 'unix.precision',
    type: 'STRING',
    defaultValue: 'milliseconds',
    documentation:
      'Unit of whole numbers that are read or written. Converted values are exact to the millisecond, whatever the unit.',
    importance: 'LOW',
    validators: [oneOf('nanoseconds', 'microseconds', 'milliseconds', 'seconds')],
  },
  REPLACE_NULL_OPTION,
])

export interface TimestampOptions {
  /** Empty: the whole key or value. */
  readonly field: string
  readonly target: TimestampForm
  readonly format: SimpleDateFormat | null
  readonly unit: UnixUnit
}

/** @throws TRANSFORMATION_OPTIONS */
export function timestampOptions(values: ConfigValues): TimestampOptions {
  // The validators accept no other values.
  const target = values.string('target.type') as TimestampForm
  const unit = values.string('unix.precision') as UnixUnit
  const pattern = values.string('format')
  if (target === 'string' && pattern === '') {
    const reason = 'TimestampConverter requires format option to be specified when using string timestamps'
    throw transformErrors.TRANSFORMATION_OPTIONS({ reason })
  }
  return { field: values.string('field'), target, format: pattern === '' ? null : formatOf(pattern), unit }
}

function formatOf(pattern: string): SimpleDateFormat {
  try {
    return new SimpleDateFormat(pattern)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const text = 'TimestampConverter requires a SimpleDateFormat-compatible pattern for string timestamps'
    throw transformErrors.TRANSFORMATION_OPTIONS({ reason: `${text}: ${pattern}` }, error)
  }
}
