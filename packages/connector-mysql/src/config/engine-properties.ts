const KAFKA_HISTORY = 'io.debezium.storage.kafka.history.KafkaSchemaHistory'

/** Kafka Connect's own stores; a connector that names them is ignored there. */
const OFFSET_STORES_OF_CONNECT = /^org\.apache\.kafka\.connect\.storage\./

/**
 * Refusals of documents for Debezium Server or the embedded engine, which store offsets and schema history elsewhere: a
 * connector that ignored that would begin anew.
 */
export function engineRefusals(config: Readonly<Record<string, string>>): Readonly<Record<string, readonly string[]>> {
  const history = config['schema.history.internal']?.trim() ?? ''
  const offsets = config['offset.storage']?.trim() ?? ''
  return {
    ...(history === '' || history === KAFKA_HISTORY
      ? {}
      : refusal(
          'schema.history.internal',
          `Tributary keeps the schema history in Kafka, not in ${history}. Remove the property and its options; set schema.history.internal.kafka.bootstrap.servers and schema.history.internal.kafka.topic`,
        )),
    ...(offsets === '' || OFFSET_STORES_OF_CONNECT.test(offsets)
      ? {}
      : refusal(
          'offset.storage',
          `The worker stores the offsets in its Kafka topic offset.storage.topic, not in ${offsets}. Remove the property and its options; a connector that ran elsewhere begins with a snapshot here, unless you store its offset with PATCH /connectors/NAME/offsets`,
        )),
  }
}

function refusal(property: string, reason: string): Record<string, readonly string[]> {
  return { [property]: [`The '${property}' value is invalid: ${reason}`] }
}
