import {
  type ConnectValue,
  derive,
  RawCells,
  type RawLayout,
  RawStruct,
  type Schema,
  type SourceRecord,
  Struct,
  StructDerivation,
  type Transformation,
} from '@tributary/connect-api'
import { ByteWriter, CodedError, silentLogger } from '@tributary/support'
import { encodedText, plainText, seededRandom, type SeededRandom, writeValue } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomEvent, randomRow, type RandomTable, randomTable, tombstone } from '../fixtures/random-records.ts'
import { transformationPlugins } from './index.ts'
import { readRecord, type RecordNotation, writeRecord } from './testing/record-notation.ts'

// Random chains on random records: plain structs with strings, and structs derived twice from raw structs with undecoded
// texts, have the same outcome after each stage; and a stage changes nothing that its options do not mention.

/** A stage, and what it may change in a struct: the names of fields, or everything. */
interface RandomStage {
  readonly className: string
  readonly options: Readonly<Record<string, string>>
  readonly side: 'key' | 'value' | 'neither'
  readonly mentioned: ReadonlySet<string> | 'all'
}

const KAFKA = 'org.apache.kafka.connect.transforms.'
const TYPES = ['int8', 'int16', 'int32', 'int64', 'float32', 'float64', 'boolean', 'string']
const NAMES = ['id', 'c0', 'c1', 'c2', 'c3', 'new', 'h', 'op', 'after', 'source']

/** Stages of both sides: the options for a field, and the fields that they mention. */
const ON_FIELD: readonly ((
  random: SeededRandom,
  field: string,
) => readonly [simpleName: string, options: Readonly<Record<string, string>>, mentioned: readonly string[] | 'all'])[] =
  [
    (random, field) => ['Cast', { spec: `${field}:${random.pick(TYPES)}` }, [field]],
    (_, field) => ['MaskField', { fields: field }, [field]],
    (_, field) => ['MaskField', { fields: field, replacement: '7' }, [field]],
    (_, field) => ['ReplaceField', { exclude: field }, [field]],
    (_, field) => ['ReplaceField', { renames: `${field}:new${field}` }, [field, `new${field}`]],
    (_, field) => ['InsertField', { 'static.field': field, 'static.value': 'v' }, [field]],
    (_, field) => ['InsertField', { 'topic.field': 'inserted', 'partition.field': field }, ['inserted', field]],
    (_, field) => ['HeaderFrom', { fields: field, headers: 'h', operation: 'move' }, [field]],
    (_, field) => ['HeaderFrom', { fields: field, headers: 'h', operation: 'copy' }, []],
    (_, field) => ['TimestampConverter', { field, 'target.type': 'string', format: 'yyyy-MM-dd HH:mm' }, [field]],
    (_, field) => ['ExtractField', { field }, 'all'],
    (_, field) => ['HoistField', { field }, 'all'],
    () => ['Flatten', { delimiter: '_' }, 'all'],
    () => ['SetSchemaMetadata', { 'schema.name': 'n', 'schema.version': '2' }, []],
  ]

function randomStage(random: SeededRandom): RandomStage {
  const field = random.pick(NAMES)
  const defaults = random() < 0.5 ? {} : { 'replace.null.with.default': 'false' }
  const kind = random()
  if (kind < 0.1)
    return { className: `${KAFKA}ValueToKey`, options: { fields: field, ...defaults }, side: 'key', mentioned: 'all' }
  if (kind < 0.2) {
    const options = { 'delete.tombstone.handling.mode': random.pick(['rewrite', 'tombstone']), 'add.fields': 'op' }
    return { className: 'io.debezium.transforms.ExtractNewRecordState', options, side: 'value', mentioned: 'all' }
  }
  if (kind < 0.25) {
    return {
      className: `${KAFKA}InsertHeader`,
      options: { header: 'h', 'value.literal': '1' },
      side: 'neither',
      mentioned: new Set(),
    }
  }
  const [simpleName, options, mentioned] = random.pick(ON_FIELD)(random, field)
  const side = random() < 0.75 ? 'value' : 'key'
  const className = `${KAFKA}${simpleName}$${side === 'key' ? 'Key' : 'Value'}`
  return {
    className,
    options: { ...options, ...defaults },
    side,
    mentioned: mentioned === 'all' ? 'all' : new Set(mentioned),
  }
}

function create({ className, options }: RandomStage): Transformation {
  const plugin = transformationPlugins.find((each) => each.className === className)
  assert.ok(plugin?.type === 'transformation', className)
  const stage = plugin.create()
  // Options that this class does not have are ignored.
  stage.configure(options, { logger: silentLogger })
  return stage
}

type Outcome = SourceRecord | null | { readonly error: string }

function applied(stage: Transformation, record: SourceRecord): Outcome {
  try {
    return stage.apply(record)
  } catch (error) {
    assert.ok(error instanceof CodedError, String(error instanceof Error ? error.stack : error))
    return { error: error.message }
  }
}

function noted(outcome: Outcome): unknown {
  return outcome === null || 'error' in outcome ? outcome : JSON.parse(JSON.stringify(writeRecord(outcome)))
}

/** Values of raw structs: a cell contains the index of one. */
const rawValues: ConnectValue[] = []
const layouts = new Map<Schema, RawLayout>()

function layoutOf(schema: Schema): RawLayout {
  let layout = layouts.get(schema)
  if (layout === undefined) {
    const read = (bytes: Buffer, start: number): ConnectValue => rawValues[bytes.readInt32BE(start)] ?? null
    const fields = schema.fields.map(() => ({ kind: 'value', read }) as const)
    layout = { schema, fields, cells: Int32Array.from(schema.fields.keys()) }
    layouts.set(schema, layout)
  }
  return layout
}

/** A struct whose values are read from bytes at each access. */
function rawStruct(schema: Schema, values: readonly ConnectValue[]): Struct {
  const bytes = Buffer.alloc(4 * values.length)
  const places = values.flatMap((value, i) => {
    if (value === null) return [-1, 0]
    bytes.writeInt32BE(rawValues.push(value) - 1, 4 * i)
    return [4 * i, 4 * i + 4]
  })
  return new RawStruct(layoutOf(schema), new RawCells(bytes, Int32Array.from(places), 0, new ByteWriter(0)))
}

/** The record with structs that are derived twice from raw structs, at all levels. */
function rawRecord(record: SourceRecord): SourceRecord {
  const rawOf = (value: ConnectValue): ConnectValue => {
    if (!(value instanceof Struct)) return value
    const { schema } = value
    const base = rawStruct(
      schema,
      schema.fields.map(({ index }) => rawOf(value.at(index))),
    )
    const same = (): StructDerivation => new StructDerivation(schema, schema.fields.keys())
    return derive(same(), derive(same(), base, []), [])
  }
  return { ...record, key: rawOf(record.key), value: rawOf(record.value) }
}

/** Fields that the options do not mention have the same schema and value; a null may have become its default. */
function assertUnmentionedStay(stage: RandomStage, before: SourceRecord, after: SourceRecord): void {
  for (const side of ['key', 'value'] as const) {
    const [old, changed] = [before[side], after[side]]
    if (side !== stage.side) {
      assert.equal(changed, old, `${stage.className} changes the ${side}`)
      continue
    }
    const { mentioned } = stage
    if (mentioned === 'all' || !(old instanceof Struct) || changed === old) continue
    assert.ok(changed instanceof Struct)
    const names = old.schema.fields.map(({ name }) => name).filter((name) => !mentioned.has(name))
    for (const name of names) {
      const field = changed.schema.field(name)
      assert.ok(field !== null, `${stage.className} removes ${name}`)
      assert.equal(field.schema, old.schema.field(name)?.schema, name)
      const isKept = stage.options['replace.null.with.default'] === 'false'
      const expected: ConnectValue = old.get(name) ?? (isKept ? null : field.schema.defaultValue)
      assert.deepEqual(writeValue(field.schema, changed.get(name)), writeValue(field.schema, expected), name)
    }
  }
  assert.equal(after.sourceOffset, before.sourceOffset)
  assert.equal(after.topic, before.topic)
}

function randomRecord(random: SeededRandom, table: RandomTable): RecordNotation {
  if (random() < 0.1) return tombstone(table)
  return random() < 0.5 ? randomRow(table) : randomEvent(random, table, random.pick(['c', 'u', 'd', 'r']))
}

const random = seededRandom()
const { seed } = random

test(`random chains do the same to all forms of a record, and change nothing else (seed ${seed})`, () => {
  let changes = 0
  for (let round = 0; round < 150; round++) {
    const table = randomTable(random)
    const stages = Array.from({ length: random.integer(1, 7) }, () => randomStage(random))
    const chain = stages.map((stage) => ({ stage, transformations: [create(stage), create(stage)] as const }))
    for (let i = 0; i < 6; i++) {
      const notation = randomRecord(random, table)
      let plain = readRecord(notation, plainText)
      let raw = rawRecord(readRecord(notation, encodedText))
      for (const { stage, transformations } of chain) {
        const [left, right] = [applied(transformations[0], plain), applied(transformations[1], raw)]
        const where = `seed ${seed}, round ${round}: ${stage.className} ${JSON.stringify(stage.options)}`
        assert.deepEqual(noted(right), noted(left), where)
        if (left === null || right === null || 'error' in left || 'error' in right) break
        assertUnmentionedStay(stage, plain, left)
        changes += 1
        plain = left
        raw = right
      }
    }
  }
  assert.ok(changes > 500, `only ${changes} stages had an effect`)
})
