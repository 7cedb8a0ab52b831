import {
  ConfigDef,
  type ConfigMap,
  type ConnectValue,
  EncodedText,
  type Schema,
  type SourceRecord,
  type StageContext,
  Struct,
  type Transformation,
  type TransformationPlugin,
  type Validator,
} from '@tributary/connect-api'
import { withPartition } from '../../stage/changed-record.ts'
import { SchemaMemo } from '../../stage/schema-memo.ts'
import { textOf } from '../../stage/text-of.ts'
import { TRANSFORMS_VERSION } from '../../version.ts'
import { envelopeOf } from '../envelope.ts'
import { isRequired, valueValidator } from '../value-validator.ts'
import { javaHash } from './java-hash.ts'
import { murmurHashOfInt, murmurHashOfText } from './murmur-hash.ts'

const areNotEmpty: Validator = (value) =>
  ((value ?? []) as readonly string[]).includes('') ? 'Empty string element(s) not permitted' : null
const isPositive: Validator = (value) =>
  value === null || Number(value) > 0 ? null : 'A positive, non-zero integer value is expected'

const config = new ConfigDef([
  {
    name: 'partition.payload.fields',
    type: 'LIST',
    defaultValue: null,
    documentation:
      'Fields of the event that determine the partition: `source.table`, `change.id`. `change` is the image after the change, that before it for deletes. Fields that an event does not have are ignored.',
    importance: 'HIGH',
    displayName: 'List of payload fields to use for compute partition.',
    group: 'partitions',
    validators: [isRequired, areNotEmpty].map((validator) => valueValidator('partition.payload.fields', validator)),
  },
  {
    name: 'partition.topic.num',
    type: 'INT',
    defaultValue: null,
    documentation: 'Number of partitions of the topic.',
    importance: 'HIGH',
    displayName: 'Number of partition configured for topic',
    group: 'partitions',
    validators: [isRequired, isPositive].map((validator) => valueValidator('partition.topic.num', validator)),
  },
  {
    name: 'partition.hash.function',
    type: 'STRING',
    defaultValue: 'java',
    documentation: 'Hash function of the values: `java` (`hashCode`) or `murmur`. Any other value means `java`.',
    importance: 'LOW',
    displayName: 'Hash function',
    group: 'partitions',
  },
])

type Hash = (value: ConnectValue, schema: Schema) => number

/** Reads a field of events of one schema. */
interface FieldReader {
  readonly schema: Schema
  readonly read: (event: Struct) => ConnectValue
}

interface RoutingPlan {
  /** Index of the field. */
  readonly operation: number
  readonly ofDeletes: readonly FieldReader[]
  readonly ofOthers: readonly FieldReader[]
}

/** Debezium's PartitionRouting: sends events to partitions by the values of some fields. */
class PartitionRouting implements Transformation {
  #paths: readonly (readonly string[])[] = []
  #partitions = 1
  #hash: Hash = javaHash
  readonly #plans = new SchemaMemo((schema) => this.#planOf(schema))

  configure(options: ConfigMap, { logger }: StageContext): void {
    const values = config.parse(options)
    this.#paths = values.list('partition.payload.fields').map(pathOf)
    this.#partitions = values.integer('partition.topic.num')
    const name = values.string('partition.hash.function').toLowerCase()
    this.#hash = name === 'murmur' ? murmur : javaHash
    if (name !== 'murmur' && name !== 'java') {
      logger.warn('partition.hash.function is neither java nor murmur: java is used', { value: name })
    }
  }

  apply(record: SourceRecord): SourceRecord {
    const event = envelopeOf(record)
    if (event === null) return record
    const { operation, ofDeletes, ofOthers } = this.#plans.of(event.schema)
    const code = operation < 0 ? null : (textOf(event.at(operation))?.toLowerCase() ?? null)
    if (code === 't' || code === 'm') return record
    let sum = 0
    let count = 0
    for (const { schema, read } of code === 'd' ? ofDeletes : ofOthers) {
      const value = read(event)
      if (value === null) continue
      sum = (sum + this.#hash(value, schema)) | 0
      count += 1
    }
    return count === 0 ? record : withPartition(record, partitionOf(sum, this.#partitions))
  }

  #planOf(envelope: Schema): RoutingPlan {
    const readers = (change: string): readonly FieldReader[] =>
      this.#paths.map((path) => readerOf(envelope, path, change)).filter((reader) => reader !== null)
    return {
      operation: envelope.field('op')?.index ?? -1,
      ofDeletes: readers('before'),
      ofOthers: readers('after'),
    }
  }
}

/** Java's split ignores empty parts at the end. */
function pathOf(field: string): readonly string[] {
  return field
    .replace(/\.+$/, '')
    .split('.')
    .map((part) => part.trim())
}

/** `change`: the image that `change` means. Null: events do not have the field. */
function readerOf(envelope: Schema, path: readonly string[], change: string): FieldReader | null {
  const structs: number[] = []
  let schema = envelope
  for (const part of path.slice(0, -1)) {
    const field = schema.field(part === 'change' ? change : part)
    if (field === null || field.schema.type !== 'struct') return null
    structs.push(field.index)
    schema = field.schema
  }
  const last = schema.field(path.at(-1) ?? '')
  if (last === null) return null
  const read = (event: Struct): ConnectValue => {
    let struct: ConnectValue = event
    for (const index of structs) struct = struct instanceof Struct ? struct.at(index) : null
    return struct instanceof Struct ? (struct.at(last.index) ?? last.schema.defaultValue) : null
  }
  return { schema: last.schema, read }
}

function murmur(value: ConnectValue, schema: Schema): number {
  if (typeof value === 'string' || value instanceof EncodedText) return murmurHashOfText(String(value))
  return murmurHashOfInt(javaHash(value, schema))
}

const INT_MAX = 0x7fff_ffff

function partitionOf(hash: number, partitions: number): number {
  const positive = hash & INT_MAX
  return positive === INT_MAX ? 0 : positive % partitions
}

export const partitionRoutingPlugin: TransformationPlugin = {
  type: 'transformation',
  className: 'io.debezium.transforms.partitions.PartitionRouting',
  version: TRANSFORMS_VERSION,
  config,
  create: () => new PartitionRouting(),
}
