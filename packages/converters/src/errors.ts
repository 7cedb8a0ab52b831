import { defineErrors, type ErrorRegistry } from '@tributary/support'

const definitions = {
  NUMBER_CLASS: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'Failed to serialize to {type} (was class {className}): the {role} has another type.',
    action:
      'Choose the converter of that type, or a converter of every type (JSON, Avro), or cast the {role} with the transformation Cast.',
  },
  CONVERTER_SCHEMA: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'Invalid schema type for {converter}: {type}.',
    action: 'Use it only for values of its type; a transformation (ExtractField, Cast) can make them.',
  },
  CONVERTER_VALUE: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: '{converter} is not compatible with objects of type class {className}.',
    action: 'Use it only for values of its type; a transformation (ExtractField, Cast) can make them.',
  },
  DELEGATE_REQUIRED: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message:
      'A {role} of type {type} requires a delegate.converter.type to be configured: {converter} writes only bytes.',
    action:
      'Set {role}.converter.delegate.converter.type to the class of the converter of all other values, for example org.apache.kafka.connect.json.JsonConverter.',
  },
  AVRO_NAME_INVALID: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'The name {name} is not valid in an Avro schema. Avro names consist of letters, digits and underscores.',
    action:
      'Set schema.name.adjustment.mode=avro (names of schemas) and field.name.adjustment.mode=avro (columns) in the connector, or key.converter.scrub.invalid.names=true and value.converter.scrub.invalid.names=true.',
  },
  AVRO_NAME_TAKEN: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'Two different schemas in one record have the name {name}, which must be unique in an Avro schema.',
    action: 'Rename one of them in the connector or a transformation.',
  },
  AVRO_NO_SCHEMA: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'A {role} without a schema cannot be written as Avro.',
    action: 'Fix the connector or the transformation that removes the schema.',
  },
  JSON_SCHEMA_KIND: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'The schema {name} is a union, an enumeration or a reference of Confluent’s JSON Schema converter.',
    action: 'Tributary cannot write such schemas; remove the transformation that makes it.',
  },
  FORMAT_NO_SCHEMA: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'A {role} without a schema cannot be written as {format}.',
    action: 'Fix the connector or the transformation that removes the schema.',
  },
  CLOUD_EVENT_SOURCE: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message:
      'No CloudEvent can be made of records of {schema}: it is no envelope with before, after and a source block of MySQL or MariaDB.',
    action:
      'Remove the transformation that changes the envelope or its source block, or choose another value.converter.',
  },
  CLOUD_EVENT_FIELD: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'Source field {field} of type {type} cannot be converted into CloudEvents extension attribute.',
    action: 'Remove the transformation that adds the field, or set value.converter.extension.attributes.enable=false.',
  },
  CLOUD_EVENT_NAME: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message:
      'The event of {source} would have a schema of the name {expected}, but {registered} is registered for {schema}.',
    action:
      'Set value.converter.schema.cloudevents.name, since the name of the table has dots, or a transformation has renamed the envelope.',
  },
  PROTOBUF_KIND: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'The field {field} ({type}) has no form in Protobuf: {reason}.',
    action: 'Exclude the column, change it by a transformation, or choose another converter.',
  },
  PROTOBUF_NAME: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'The name {name} in {message} is not usable in a Protobuf schema: {reason}.',
    action:
      'Set key.converter.scrub.invalid.names=true and value.converter.scrub.invalid.names=true, or rename the field or schema.',
  },
  REGISTRY_UNAVAILABLE: {
    message: 'The schema registry does not return an id for the schema of subject {subject}: {reason}.',
    action:
      'The task retries, and the records of this schema wait; records of schemas whose ids are known are still sent. Check that the registry runs and that {property} is its address.',
    retriable: true,
  },
  REGISTRY_UNENCRYPTED: {
    message:
      'The connection to the schema registry {url} is not encrypted: whoever can read or change the traffic on the way to it can do so with schemas, ids and the login.',
    action:
      'Use an address with https:// in key.converter.{property} and value.converter.{property}. Ignore this warning if the network itself is protected.',
  },
  REGISTRY_NOT_REACHED: {
    message: 'The schema registry at the address in {property} does not answer: {reason}.',
    action: 'Correct {property}, or start the registry; then register the connector again.',
    recoverable: true,
  },
  REGISTRY_REFUSES_LOGIN: {
    className: 'org.apache.kafka.common.config.ConfigException',
    message: 'The schema registry {url} denies this client access to {subject}: status {status}{detail}.',
    action:
      'Correct {login} or the certificate of this client, or allow the account to read and register schemas there.',
    recoverable: true,
  },
  REGISTRY_PATH_UNKNOWN: {
    className: 'org.apache.kafka.common.config.ConfigException',
    message:
      'There is no schema registry at {url}: status 404{detail}. The answer does not name a missing subject or schema, so the server does not know the path.',
    action:
      'Set {property} to the address including the path of the interface: {hint}. A proxy in front of the registry must forward that path.',
    recoverable: true,
  },
  SCHEMA_INCOMPATIBLE: {
    className: 'org.apache.kafka.common.errors.SerializationException',
    message:
      'The registry refuses the schema of subject {subject}: it is not compatible with {version} under compatibility {level}. {differences}.',
    action:
      'No records are lost: they wait at the change. Either change the table so that the schema is compatible, or allow the change once consumers can read both schemas ({allowance}).',
    recoverable: true,
  },
  SCHEMA_REFUSED: {
    className: 'org.apache.kafka.common.errors.SerializationException',
    message: 'The registry refuses the schema of subject {subject}: status {status}{detail}.',
    action: 'Fix the reported problem: the task continues with the record that needs the schema.',
    recoverable: true,
  },
  SCHEMA_EXISTS: {
    className: 'org.apache.kafka.common.errors.SerializationException',
    message:
      'The artifact {subject} exists in the registry, and {property}=FAIL forbids adding a version to it{detail}.',
    action:
      'Set {property}=FIND_OR_CREATE_VERSION, which adds new schemas and reuses existing ones; then restart the task.',
  },
  SCHEMA_NOT_REGISTERED: {
    className: 'org.apache.kafka.common.errors.SerializationException',
    message: 'The schema of subject {subject} is not registered, and {property} is false. {differences}.',
    action: 'Register the schema, or set {property}=true. The schema begins with {schema}',
    recoverable: true,
  },
  SCHEMA_NOT_THE_LATEST: {
    className: 'org.apache.kafka.common.errors.SerializationException',
    message: 'The records cannot be written with version {version} of subject {subject}, the latest: {difference}.',
    action:
      'Register a version with the same fields, in the same order and of the same types (documentation, defaults and other properties may differ), or set {latestProperty}=false and {registerProperty}=true.',
    recoverable: true,
  },
  REGISTRY_ANSWER: {
    message: 'The schema registry {url} sends an answer that this client cannot read: {reason}.',
    action: 'Check that {property} is the address of a schema registry, and not of a proxy’s page or another server.',
    recoverable: true,
  },
} as const

/** Errors of converters that talk to a schema registry. What all converters report is in `connectErrors`. */
export const converterErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)
