import { defineErrors, type ErrorRegistry } from '@tributary/support'

const definitions = {
  AVRO_NAME_INVALID: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'The name {name} cannot stand in an Avro schema, which takes letters, digits and underscores.',
    action:
      'Set schema.name.adjustment.mode=avro (names of schemas) and field.name.adjustment.mode=avro (columns) in the connector, or scrub.invalid.names=true behind key.converter. and value.converter.',
  },
  AVRO_NAME_TAKEN: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'Two different schemas in one record are called {name}, and in Avro a name stands for one.',
    action: 'Give one of them another name in the connector or a transformation.',
  },
  AVRO_NO_SCHEMA: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'A value without a schema cannot be written as Avro (a {role}).',
    action: 'This is a fault of the connector or of a transformation that dropped the schema.',
  },
  REGISTRY_UNAVAILABLE: {
    message: 'The schema registry cannot give an id for the schema of subject {subject}: {reason}.',
    action:
      'Records wait and the request is repeated. Look whether the registry runs and {property} names it; records of schemas whose ids are known go on.',
    retriable: true,
  },
  REGISTRY_NOT_REACHED: {
    message: 'The schema registry that {property} names does not answer: {reason}.',
    action: 'Correct {property}, or start the registry; then register the connector again.',
  },
  REGISTRY_REFUSES_LOGIN: {
    className: 'org.apache.kafka.common.config.ConfigException',
    message: 'The schema registry {url} does not let this client work on {subject}: status {status}{detail}.',
    action:
      'Correct {login} or the certificate of this client, or give the account the right to read and register schemas there; then restart the task.',
  },
  REGISTRY_PATH_UNKNOWN: {
    className: 'org.apache.kafka.common.config.ConfigException',
    message:
      'There is no schema registry under {url}: status 404{detail}. It does not say that a subject or schema is missing, but that it does not know the address.',
    action:
      'Set {property} to the address with the path under which the interface stands: {hint}. A proxy before the registry has to pass that path on. Then restart the task.',
  },
  SCHEMA_INCOMPATIBLE: {
    className: 'org.apache.kafka.common.errors.SerializationException',
    message:
      'The registry refuses the schema of subject {subject}: it is not compatible with {version} under compatibility {level}. {differences}.',
    action:
      'Records wait at the change and nothing is lost. Either change the table so that the schema is compatible, or allow the change once consumers can read both schemas ({allowance}); then restart the task.',
  },
  SCHEMA_REFUSED: {
    className: 'org.apache.kafka.common.errors.SerializationException',
    message: 'The registry refuses the schema of subject {subject}: status {status}{detail}.',
    action: 'Correct what it says, then restart the task: it goes on with the record that needs the schema.',
  },
  SCHEMA_EXISTS: {
    className: 'org.apache.kafka.common.errors.SerializationException',
    message: 'The artifact {subject} is in the registry, and {property}=FAIL lets no version be added to it{detail}.',
    action:
      'Set {property}=FIND_OR_CREATE_VERSION, which adds schemas that are new and takes those that are there; then restart the task.',
  },
  SCHEMA_NOT_REGISTERED: {
    className: 'org.apache.kafka.common.errors.SerializationException',
    message: 'The schema of subject {subject} is not registered, and {property} is false. {differences}.',
    action: 'Register it beforehand, or set {property}=true; then restart the task. The schema begins {schema}',
  },
  SCHEMA_NOT_THE_LATEST: {
    className: 'org.apache.kafka.common.errors.SerializationException',
    message:
      'Version {version} of subject {subject}, the latest, cannot be written instead of the schema of the records: {difference}.',
    action:
      'Register a version with the same fields, in the same order and of the same types (documentation, defaults and other properties may differ), or set {latestProperty}=false and {registerProperty}=true; then restart the task.',
  },
  REGISTRY_ANSWER: {
    message: 'The schema registry {url} answers what this client does not understand: {reason}.',
    action: 'Look whether {property} names a schema registry and not something else, such as a proxy’s page.',
  },
} as const

/** Errors of converters that talk to a schema registry. What all converters report is in `connectErrors`. */
export const converterErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)
