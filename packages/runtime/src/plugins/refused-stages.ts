/**
 * Transformations of Debezium that Tributary refuses, because the feature that they serve does not exist here. The error
 * contains the reason and the remedy instead of "class not found".
 */
const REFUSED: ReadonlyMap<string, string> = new Map([
  [
    'io.debezium.transforms.tracing.ActivateTracingSpan',
    'Tributary writes no OpenTelemetry traces. Remove the transformation: records stay as they are without it',
  ],
  [
    'io.debezium.transforms.openlineage.OpenLineage',
    'Tributary reports no OpenLineage events. Remove the transformation: records stay as they are without it, and GET /connectors/NAME/topics lists the topics that a connector writes to',
  ],
])

/** Packages of public transformations that Debezium and Kafka do not contain. */
const THIRD_PARTIES =
  /^(com\.(ziphq|github|amazonaws|redhat|mongodb|snowflake|clickhouse)|io\.(confluent|aiven|lenses|tabular|strimzi)|org\.apache\.(camel|iceberg))\./

const SIMILAR: readonly (readonly [simpleName: RegExp, similar: string])[] = [
  [/PartitionRouting/, 'io.debezium.transforms.partitions.PartitionRouting chooses partitions by fields of rows'],
  [/Filter|Drop/, 'io.debezium.transforms.Filter and org.apache.kafka.connect.transforms.Filter leave out records'],
  [/Rename|ReplaceField/, 'org.apache.kafka.connect.transforms.ReplaceField renames and removes fields'],
  [/Topic|Router/, 'org.apache.kafka.connect.transforms.RegexRouter renames topics'],
  [/Timestamp|Timezone/, 'org.apache.kafka.connect.transforms.TimestampConverter converts times'],
  [/ExtractField|ExtractNested/, 'org.apache.kafka.connect.transforms.ExtractField reads nested fields'],
]

function thirdPartyText(className: string): string | null {
  if (!THIRD_PARTIES.test(className)) return null
  const similar = SIMILAR.find(([simpleName]) => simpleName.test(className.slice(className.lastIndexOf('.') + 1)))
  const remedy = similar === undefined ? '' : `; ${similar[1]}`
  return `Class ${className} could not be found: it is Java code of a third party, which Tributary cannot load. Remove it, or use a transformation that GET /connector-plugins?connectorsOnly=false lists${remedy}.`
}

/** Packages of public converters that Tributary does not have. */
const THIRD_PARTY_CONVERTERS = /^com\.(amazonaws|blueapron|github)\./

/** The error about a converter that does not exist: Connect's, and for those of third parties what to do. */
export function unknownConverterText(className: string): string {
  const text = `Class ${className} could not be found`
  if (!THIRD_PARTY_CONVERTERS.test(className)) return `${text}.`
  return `${text}: it is Java code of a third party, which Tributary cannot load. Use a converter that GET /connector-plugins?connectorsOnly=false lists. Those for Avro need a registry with the interface of Confluent or Apicurio.`
}

/** Why a transformation of that full or simple name is refused, as a text for the user; null: it is not known here. */
export function refusedStageText(className: string): string | null {
  for (const [name, reason] of REFUSED) {
    if (name === className || name.endsWith(`.${className}`)) return `Class ${name} is not supported: ${reason}.`
  }
  return thirdPartyText(className)
}
