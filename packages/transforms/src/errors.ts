import { defineErrors, type ErrorRegistry } from '@tributary/support'

const definitions = {
  TRANSFORMATION_OPTION: {
    className: 'org.apache.kafka.common.config.ConfigException',
    message: 'Invalid value {value} for configuration {name}: {reason}.',
    action: '',
  },
  NOT_A_STRUCT: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'Only Struct objects supported for [{purpose}], found: {found}.',
    action: 'Apply the transformation only to records that have the field, with a predicate, or remove it.',
  },
  NOT_A_FIELD: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: '{name} is not a valid field name.',
    action: 'Correct the option that names the field, or apply the transformation only to records that have it.',
  },
  FIELD_NOT_OF_TYPE: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: "Field '{name}' is not of type {type}.",
    action: 'Name a field of that type.',
  },
} as const

/** Errors of transformations. Texts that Kafka Connect or Debezium have are theirs, since scripts match them. */
export const transformErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)
