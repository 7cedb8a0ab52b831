import { defineErrors, type ErrorRegistry } from '@tributary/support'

const definitions = {
  VALUE_REQUIRED: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'Conversion error: null value for field {field} that is required and has no default value.',
    action: 'The row contains NULL where its schema allows none; check the table definition and the schema history.',
  },
  VALUE_MISFIT: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'Conversion error: {value} is not a value of type {type} (field {field}).',
    action: 'This is a bug of the connector, or of a transformation that changes the value but not its schema.',
  },
  CONVERTER_OPTION: {
    className: 'org.apache.kafka.connect.errors.ConnectException',
    message: 'Converter option {name}={value} is invalid: {reason}.',
    action: 'Correct the property in the connector or worker configuration.',
  },
} as const

/** Errors of converters and transformations. */
export const connectErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)
