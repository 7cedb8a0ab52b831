import {
  ConfigDef,
  type ConfigMap,
  type ConnectValue,
  type SourceRecord,
  Struct,
  type Transformation,
  type TransformationPlugin,
  type Validator,
} from '@tributary/connect-api'
import { withValue } from '../stage/changed-record.ts'
import { textOf } from '../stage/text-of.ts'
import { TRANSFORMS_VERSION } from '../version.ts'
import { approximateSize } from './approximate-size.ts'

function when(isRefused: (value: number) => boolean, reason: string): Validator {
  return (value) => (isRefused(Number(value)) ? reason : null)
}

const config = new ConfigDef([
  {
    name: 'max.bytes',
    type: 'INT',
    documentation:
      'The greatest size of a record. Long texts and bytes of larger ones are cut, each in proportion to its size.',
    importance: 'HIGH',
    validators: [when((value) => value <= 0, 'Must be a positive integer')],
  },
  {
    name: 'compression.ratio',
    type: 'DOUBLE',
    defaultValue: '1.0',
    documentation:
      'Factor of the estimated size, which is that of objects in memory: 0.5 if converters write half of it.',
    importance: 'MEDIUM',
    validators: [when((value) => value <= 0, 'Must be a positive number')],
  },
  {
    name: 'min.field.size',
    type: 'INT',
    defaultValue: '25000',
    documentation: 'Texts and bytes up to this size are never cut.',
    importance: 'MEDIUM',
    validators: [when((value) => value < 0, 'Must be non-negative')],
  },
])

/** A text or bytes that may be cut. */
interface LongField {
  readonly name: string
  readonly value: string | Uint8Array
}

interface Image {
  readonly name: 'before' | 'after'
  readonly row: Struct
  readonly fields: readonly LongField[]
}

/** Debezium's EnforceRecordSize: cuts long columns of change events that are larger than a limit. */
class EnforceRecordSize implements Transformation {
  #bytesMax = Infinity
  #ratio = 1
  #fieldMin = 0

  configure(options: ConfigMap): void {
    const values = config.parse(options)
    this.#bytesMax = values.integer('max.bytes')
    this.#ratio = values.double('compression.ratio')
    this.#fieldMin = values.integer('min.field.size')
  }

  apply(record: SourceRecord): SourceRecord {
    const { value } = record
    if (!(value instanceof Struct)) return record
    const excess = Math.ceil(approximateSize(record) * this.#ratio) - this.#bytesMax
    // Not a number either.
    if (!(excess > 0)) return record
    const images = (['before', 'after'] as const).flatMap((name) => this.#image(value, name))
    const total = sum(images.flatMap(({ fields }) => fields))
    if (total === 0) return record
    const changes = new Map(images.map((image) => [image.name, cut(image, excess, total)]))
    return withValue(record, record.valueSchema, replaced(value, changes))
  }

  #image(event: Struct, name: 'before' | 'after'): readonly Image[] {
    const field = event.schema.field(name)
    const row = field === null ? null : event.at(field.index)
    if (!(row instanceof Struct)) return []
    const fields = row.schema.fields.flatMap(({ name: column, index, schema }): readonly LongField[] => {
      if (schema.type !== 'string' && schema.type !== 'bytes') return []
      const content = contentOf(row.at(index))
      return content === null || content.length <= this.#fieldMin ? [] : [{ name: column, value: content }]
    })
    return fields.length === 0 ? [] : [{ name, row, fields }]
  }
}

function contentOf(value: ConnectValue): string | Uint8Array | null {
  return value instanceof Uint8Array ? value : textOf(value)
}

function sum(fields: readonly LongField[]): number {
  return fields.reduce((size, { value }) => size + value.length, 0)
}

/** The row with its part of the excess cut from its fields. */
function cut({ row, fields }: Image, excess: number, total: number): Struct {
  const size = sum(fields)
  const share = Math.ceil((size / total) * excess)
  const changes = fields.map(({ name, value }) => {
    const removed = Math.ceil((value.length / size) * share)
    return [name, firstPart(value, Math.max(0, value.length - removed))] as const
  })
  return replaced(row, new Map(changes))
}

function replaced(struct: Struct, changes: ReadonlyMap<string, ConnectValue>): Struct {
  const values = struct.schema.fields.map(({ name, index }) => changes.get(name) ?? struct.at(index))
  return new Struct(struct.schema, values)
}

/** A text is not cut between the two halves of a character beyond U+FFFF. */
function firstPart(value: string | Uint8Array, length: number): ConnectValue {
  if (typeof value !== 'string') return value.subarray(0, length)
  const last = value.charCodeAt(length - 1)
  return value.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length)
}

export const enforceRecordSizePlugin: TransformationPlugin = {
  type: 'transformation',
  className: 'io.debezium.transforms.EnforceRecordSize',
  version: TRANSFORMS_VERSION,
  config,
  create: () => new EnforceRecordSize(),
}
