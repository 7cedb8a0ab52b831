import { defineErrors, type ErrorRegistry } from '@tributary/support'

const definitions = {
  TRANSFORMATION_OPTION: {
    className: 'org.apache.kafka.common.config.ConfigException',
    message: 'Invalid value {value} for configuration {name}: {reason}.',
    action: '',
  },
  TRANSFORMATION_OPTIONS: {
    className: 'org.apache.kafka.common.config.ConfigException',
    message: '{reason}.',
    action: 'Correct the options of the transformation.',
  },
  NOT_A_STRUCT: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'Only Struct objects supported for [{purpose}], found: {found}.',
    action: 'Apply the transformation only to records that have the field, with a predicate, or remove it.',
  },
  NOT_A_MAP: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'Only Map objects supported in absence of schema for [{purpose}], found: {found}.',
    action: 'Apply the transformation only to records that have fields, with a predicate (RecordIsTombstone, negated).',
  },
  SCHEMA_REQUIRED: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'Schema required for [{purpose}].',
    action: 'Apply the transformation only to records that have a schema, with a predicate, or remove it.',
  },
  NOT_A_FIELD: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: '{name} is not a valid field name.',
    action: 'Correct the option that names the field, or apply the transformation only to records that have it.',
  },
  FIELD_UNKNOWN: {
    className: 'java.lang.IllegalArgumentException',
    message: 'Unknown field: {name}.',
    action: 'Correct the option that names the field, or apply the transformation only to records that have it.',
  },
  FIELD_MISSING: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'Field does not exist: {name}.',
    action: 'Correct the option that names the field, or apply the transformation only to records that have it.',
  },
  FIELD_TWICE: {
    className: 'org.apache.kafka.connect.errors.SchemaBuilderException',
    message: 'Cannot create field because of field name duplication {name}.',
    action: 'Choose another name, or apply the transformation only to records that do not have the field.',
  },
  FIELD_NOT_OF_TYPE: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: "Field '{name}' is not of type {type}.",
    action: 'Name a field of that type.',
  },
  NOT_NESTED: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'Cannot look up fields on non-struct type.',
    action: "The path '{path}' passes through a field of type {type}: name a field of a struct.",
  },
  NULL_FIELD: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'Invalid value: null used for required field: "{name}", schema type: {type}.',
    action: 'Apply the transformation only to records that have a value, with a predicate.',
  },
  CAST_SOURCE: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'Cast transformation does not support casting from {type}; supported types are {types}.',
    action: 'Remove the field from the option spec.',
  },
  CAST_CLASS: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'Unexpected type in Cast transformation: class {found}.',
    action: 'Cast the field to string.',
  },
  CAST_RANGE: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'Value ({value}) was out of range for requested data type.',
    action: 'Cast the field to a type that has the value, such as string.',
  },
  NOT_CONNECT_DATA: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message:
      "{transformation} transformation was passed a value of type class {found} which is not supported by Connect's data API.",
    action: 'Apply the transformation only to records with a schema.',
  },
  FLATTEN_TYPE: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'Flatten transformation does not support {type} for record {mode} (for field {name}).',
    action: 'Remove the field before, with ReplaceField.',
  },
  MASK_TYPE: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'Cannot mask value of type: class {found}.',
    action: 'Remove the field with ReplaceField instead.',
  },
  MASK_REPLACEMENT_TYPE: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'Cannot mask value of type class {found} with custom replacement.',
    action: 'Mask the field in a transformation of its own, without the option replacement.',
  },
  MASK_REPLACEMENT: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'Unable to convert {replacement} (class java.lang.String) to {target}.',
    action: 'Correct the option replacement, or mask fields of other types in a transformation of their own.',
  },
  TIMESTAMP_MISSING: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'Timestamp missing on record: topic {topic}.',
    action: 'Records of this connector have no timestamp of their own: choose the topic by another transformation.',
  },
  TIMESTAMP_PATTERN: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'Could not parse timestamp: value ({value}) does not match pattern ({pattern}).',
    action: 'Correct the option format.',
  },
  TIMESTAMP_RANGE: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'The time {ms} (milliseconds since 1970) is beyond the range of a date.',
    action: 'Check the option unix.precision, or use another target.type.',
  },
  TIMESTAMP_SCHEMA: {
    message: 'Schema {schema} does not correspond to a known timestamp type format.',
    action: 'Name a field of type string or int64, or of a time type of Kafka Connect (time.precision.mode=connect).',
  },
  TIMESTAMP_CLASS: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'TimestampConverter does not support class {found} objects as timestamps.',
    action: 'Name a field with a string or a whole number.',
  },
  TIMESTAMP_FORMAT_MISSING: {
    className: 'org.apache.kafka.common.config.ConfigException',
    message: 'TimestampConverter requires format option to be specified when reading string timestamps.',
    action: '',
  },
  EXPRESSION_FAILED: {
    className: 'io.debezium.DebeziumException',
    message: "Error while evaluating expression '{expression}' at character {position}: {reason}.",
    action: '{remedy}.',
  },
  FIELD_EXISTS: {
    className: 'org.apache.kafka.connect.errors.SchemaBuilderException',
    message: 'Cannot create field because of field name duplication {name}.',
    action: 'Choose another name for the field that the transformation adds.',
  },
  FIELD_NOT_A_STRUCT: {
    className: 'io.debezium.DebeziumException',
    message: "Field '{name}' is a primitive type, not a struct. Cannot add nested field '{path}'.",
    action: 'Correct the option that names the field.',
  },
  VALUE_NOT_OF_TYPE: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'Invalid Java object for schema with type {type}: class {found} for field: "{name}".',
    action: 'Choose a field of the type of the header, or a new one.',
  },
  HEADERS_AND_FIELDS: {
    className: 'org.apache.kafka.common.config.ConfigException',
    message: "'fields' config must have the same number of elements as 'headers' config.",
    action: 'There are {headers} headers and {fields} fields: name one field per header.',
  },
  HEADER_WITHOUT_SCHEMA: {
    className: 'org.apache.kafka.connect.errors.SchemaBuilderException',
    message: 'fieldSchema for field {name} cannot be null.',
    action: 'A header without a schema cannot become a field: add the header with a schema.',
  },
  ZONE_UNKNOWN: {
    className: 'io.debezium.DebeziumException',
    message:
      'Invalid timezone format. Please specify either a geographic timezone (e.g. America/Los_Angeles) or a UTC offset in the format of +/-hh:mm, (e.g. +08:00).',
    action: 'converted.timezone is {zone}.',
  },
  ZONE_LIST: {
    className: 'io.debezium.DebeziumException',
    message:
      'Invalid {kind} list format. Please specify a list of rules in the format of "source:<tablename>:<fieldnames>", "topic:<topicname>:<fieldnames>", "<matchname>:<fieldnames>".',
    action: 'Of several rules, those after the first are without the prefix, which they share.',
  },
  ZONE_LISTS: {
    className: 'io.debezium.DebeziumException',
    message: 'Both include and exclude lists are specified. Please specify only one.',
    action: '',
  },
  ZONED_TEXT: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'A value of type {type} is not a time with an offset in ISO 8601.',
    action: 'Exclude the column with exclude.list.',
  },
  GEOMETRY_WITHOUT_SRID: {
    className: 'org.apache.kafka.connect.errors.ConnectException',
    message: 'Cannot convert to EWKB when SRID is null.',
    action: 'Store geometries with an SRID, or set format to ewkb.',
  },
  GEOMETRY_UNREADABLE: {
    className: 'io.debezium.DebeziumException',
    message: 'Failed to swap EWKB/WKB coordinates.',
    action: 'A geometry cannot be read: {reason}. Apply the transformation only to records that have geometries.',
  },
  COLUMN_TYPES_MISSING: {
    className: 'io.debezium.DebeziumException',
    message:
      'Ensure that enable configurations "column.propagate.source.type" or "datatype.propagate.source.type" and the value is set to ".*".',
    action: '',
  },
  OUTBOX_COLUMN_MISSING: {
    className: 'org.apache.kafka.connect.errors.ConnectException',
    message: 'Unable to find {column} in event.',
    action: 'Correct the option of the outbox transformation that names the column, or add the column to the table.',
  },
  OUTBOX_TIMESTAMP_TYPE: {
    className: 'org.apache.kafka.connect.errors.ConnectException',
    message: 'Unsupported field type {type} for event timestamp.',
    action: 'Name a DATETIME column with table.field.event.timestamp, and set time.precision.mode to adaptive.',
  },
  OUTBOX_ROW_UPDATED: {
    className: 'java.lang.IllegalStateException',
    message: 'Unexpected update message received for topic {topic}, fail.',
    action: 'Only insert into the outbox table and delete from it, or set table.op.invalid.behavior to warn.',
  },
  OUTBOX_TOPIC_NULL: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: "Field '{name}' is null, so that the event has no topic.",
    action: 'Make the column that route.by.field names NOT NULL.',
  },
} as const

/** Errors of transformations. Texts that Kafka Connect or Debezium have are theirs, since scripts match them. */
export const transformErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)
