/** The text of src/protocol/messages.table.ts, made of the message schemas in Kafka's client jar (common/message/*.json). */
import { execFileSync } from 'node:child_process'
import { present } from '@tributary/support'
import { kafkaClassPath, kafkaVersion } from '@tributary/testkit'

/** The requests that the broker answers, by the names of their schemas. */
const APIS: readonly string[] = `
Produce Fetch ListOffsets Metadata OffsetCommit OffsetFetch FindCoordinator JoinGroup
Heartbeat LeaveGroup SyncGroup DescribeGroups ListGroups SaslHandshake ApiVersions CreateTopics
DeleteTopics DeleteRecords InitProducerId OffsetForLeaderEpoch AddPartitionsToTxn AddOffsetsToTxn EndTxn WriteTxnMarkers
TxnOffsetCommit DescribeAcls CreateAcls DeleteAcls DescribeConfigs AlterConfigs DescribeLogDirs CreatePartitions DeleteGroups
SaslAuthenticate IncrementalAlterConfigs OffsetDelete DescribeCluster DescribeProducers DescribeTransactions ListTransactions`
  .trim()
  .split(/\s+/)

/** A field of a schema, as far as the table needs it. */
interface SchemaField {
  readonly name: string
  readonly type: string
  readonly versions: string
  readonly nullableVersions?: string
  readonly taggedVersions?: string
  readonly tag?: number
  readonly default?: unknown
  readonly fields?: readonly SchemaField[]
}

interface Schema {
  readonly apiKey: number
  readonly validVersions: string
  readonly flexibleVersions: string
  readonly fields: readonly SchemaField[]
  /** Structs that several fields use. */
  readonly commonStructs?: readonly { readonly name: string; readonly fields: readonly SchemaField[] }[]
}

function readSchema(clientJar: string, name: string): Schema {
  const text = execFileSync('unzip', ['-p', clientJar, `common/message/${name}.json`], { encoding: 'utf8' })
  return JSON.parse(text.replaceAll(/^\s*\/\/.*$/gm, '')) as Schema
}

/** `4-18`, `12+`, `0` or `none` → first and last version; null for `none`. */
function versionRange(text: string): readonly [number, number | null] | null {
  if (text === 'none') return null
  const match = present(/^(\d+)(?:-(\d+)|(\+))?$/.exec(text), `a range of versions, not ${text}`)
  const first = Number(match[1])
  if (match[3] !== undefined) return [first, null]
  return [first, match[2] === undefined ? first : Number(match[2])]
}

function tableField(field: SchemaField, schema: Schema): Record<string, unknown> {
  const isArray = field.type.startsWith('[]')
  const elementType = isArray ? field.type.slice(2) : field.type
  const isStruct = /^[A-Z]/.test(elementType)
  const range = present(versionRange(field.versions), `the versions of ${field.name}`)
  const nullable = versionRange(field.nullableVersions ?? 'none')
  const tagged = versionRange(field.taggedVersions ?? 'none')
  const entry: Record<string, unknown> = {
    name: field.name[0]?.toLowerCase() + field.name.slice(1),
    type: isStruct ? 'struct' : elementType,
    from: range[0],
  }
  if (range[1] !== null) entry['to'] = range[1]
  if (isArray) entry['array'] = true
  if (nullable !== null) entry['nullableFrom'] = nullable[0]
  if (tagged !== null) Object.assign(entry, { tag: field.tag, taggedFrom: tagged[0] })
  if (field.default !== undefined) entry['default'] = defaultOf(elementType, field.default)
  if (isStruct) {
    const shared = schema.commonStructs?.find(({ name }) => name === elementType)
    const fields = present(field.fields ?? shared?.fields, `the fields of ${elementType}`)
    entry['fields'] = fields.map((each) => tableField(each, schema))
  }
  return entry
}

/** The schemas spell most defaults as texts. */
function defaultOf(type: string, value: unknown): unknown {
  if (value === 'null') return null
  if (type === 'int64') return BigInt(String(value))
  if (/^u?int/.test(type)) return Number(value)
  if (type === 'bool') return String(value) === 'true'
  return value
}

function literal(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).map(([name, each]) => `${name}: ${literal(each)}`)
  return `{ ${entries.join(', ')} }`
}

/** The module of the table, not yet formatted. Needs `unzip`. */
export async function messagesModule(): Promise<string> {
  const clientJar = present(
    (await kafkaClassPath()).split(':').find((path) => /kafka-clients-[^/]*\.jar$/.test(path)),
    'the client jar on the class path of Kafka',
  )
  const entries = APIS.map((api) => {
    const request = readSchema(clientJar, `${api}Request`)
    const response = readSchema(clientJar, `${api}Response`)
    const [first, last] = present(versionRange(request.validVersions), `the versions of ${api}`)
    const flexible = versionRange(request.flexibleVersions)
    const entry = {
      key: request.apiKey,
      versions: [first, last ?? first],
      flexibleFrom: flexible?.[0] ?? null,
      request: request.fields.map((field) => tableField(field, request)),
      response: response.fields.map((field) => tableField(field, response)),
    }
    return `  ${api}: ${literal(entry)},`
  })

  const header = `/**
 * The messages of Kafka's protocol as Apache Kafka ${await kafkaVersion()} defines them; written by
 * scripts/generate-messages.ts. Per API: its key, the first and the last version, the first version with compact lengths
 * and tagged fields (null: none), and the fields of request and response in the order of their bytes.
 */
export const messages = {
`
  return `${header}${entries.join('\n')}\n} as const\n`
}
