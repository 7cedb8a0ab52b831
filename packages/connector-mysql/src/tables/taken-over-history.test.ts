/**
 * A connector that continues from a schema history of Debezium keeps the schemas of its topics. The histories and the
 * records are recordings of Debezium (fixtures/golden).
 */
import type { Schema } from '@tributary/connect-api'
import { tableChangesFromJson, TableId } from '@tributary/connector-kit'
import { present } from '@tributary/support'
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { DdlInterpreter } from '../schema/ddl-interpreter.ts'
import { testCompiler } from '../testing/test-compiler.ts'
import type { CapturedTable } from './captured-table.ts'

const GOLDEN = new URL('../../../../fixtures/golden/expected/', import.meta.url)

/** Parts of a schema in a record; `field` is the name. */
interface RecordedSchema {
  readonly type: string
  readonly optional: boolean
  readonly name?: string
  readonly parameters?: Readonly<Record<string, string>>
  readonly field: string
  readonly fields?: readonly RecordedSchema[]
}

interface RecordedLine {
  readonly topic?: string
  readonly value?: {
    readonly schema?: RecordedSchema
    readonly payload?: { readonly op?: string }
    readonly databaseName?: string
    readonly ddl?: string
    readonly tableChanges?: unknown
  } | null
}

function linesOf(file: string): readonly RecordedLine[] {
  const text = gunzipSync(readFileSync(new URL(file, GOLDEN))).toString()
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RecordedLine)
}

function interpreterOf(file: string): DdlInterpreter {
  const isMariaDb = file.includes('@mariadb')
  return new DdlInterpreter({
    flavor: isMariaDb ? 'mariadb' : 'mysql',
    serverVersion: isMariaDb ? 101_119 : 90_704,
    lowerCaseTableNames: 0,
    serverCharset: 'utf8mb4',
    includesComments: false,
  })
}

/** The interpreter after the whole history of a recording. */
function recovered(file: string, lines: readonly RecordedLine[]): DdlInterpreter {
  const interpreter = interpreterOf(file)
  for (const { topic, value } of lines) {
    if (topic !== 'PFX-history' || value === null || value === undefined) continue
    const { databaseName = null, ddl = null, tableChanges } = value
    interpreter.recover({ databaseName, ddl, changes: tableChangesFromJson(tableChanges) ?? [] })
  }
  return interpreter
}

/** The schema of rows in the last event of each topic. */
function lastSchemas(lines: readonly RecordedLine[]): ReadonlyMap<string, readonly RecordedSchema[]> {
  return new Map(
    lines.flatMap(({ topic = '', value }) => {
      const isEvent = typeof value?.payload?.op === 'string'
      const after = value?.schema?.fields?.find(({ field }) => field === 'after')
      return isEvent && after?.fields !== undefined ? [[topic, after.fields] as const] : []
    }),
  )
}

function textOf({ type, optional, name = '', parameters = {} }: Omit<RecordedSchema, 'field'>): string {
  return [type, optional ? 'optional' : 'required', name, JSON.stringify(parameters)].join(' ')
}

function ourText({ type, isOptional, name, parameters }: Schema): string {
  return textOf({ type, optional: isOptional, name: name ?? '', parameters: parameters ?? {} })
}

function differencesOf(compiled: CapturedTable, recorded: readonly RecordedSchema[]): readonly string[] {
  const ours = new Map(compiled.schema.valueSchema.fields.map(({ name, schema }) => [name, ourText(schema)]))
  return recorded.flatMap((column) => {
    const mine = ours.get(column.field)
    // Columns of types that events do not contain yet.
    return mine === undefined || mine === textOf(column) ? [] : [`${column.field}: ${mine}, not ${textOf(column)}`]
  })
}

const recordings = readdirSync(GOLDEN).filter((file) => /^[^~]+\.jsonl\.gz$/.test(file))

test('the schemas that follow from the histories of all recordings are those of the recorded events', (t) => {
  const found: string[] = []
  let columns = 0
  for (const file of recordings) {
    const lines = linesOf(file)
    const interpreter = recovered(file, lines)
    const compiler = testCompiler({})
    for (const [topic, fields] of lastSchemas(lines)) {
      const [, database = '', table = ''] = topic.split('.')
      const definition = interpreter.tables.get(TableId.of(database, table))
      if (definition === undefined) continue
      columns += fields.length
      for (const text of differencesOf(compiler.compile(definition), fields)) found.push(`${file} ${topic}.${text}`)
    }
  }
  t.diagnostic(`${recordings.length} recordings, ${columns} columns`)
  assert.deepEqual(found, [
    // FLOAT4 is FLOAT: Debezium knows only the second name. The values are equal.
    '96_ddl_exotic.jsonl.gz PFX.g_ex.e16.f: float optional  {}, not double optional  {}',
  ])
})

const exotic = '96_ddl_exotic.jsonl.gz'
const e04 = TableId.of('g_ex', 'e04')

/** The types of the columns of a table. */
function typesOf(interpreter: DdlInterpreter, id: TableId): Readonly<Record<string, string>> {
  const { fields } = testCompiler({}).compile(present(interpreter.tables.get(id), 'table')).schema.valueSchema
  return Object.fromEntries(fields.map(({ name, schema }) => [name, schema.type]))
}

test('a column that Debezium has as BOOLEAN stays one, whatever else changes', () => {
  const interpreter = recovered(exotic, linesOf(exotic))
  const alter = (actions: string): void => {
    assert.deepEqual(interpreter.interpret(`ALTER TABLE e04 ${actions}`, { database: 'g_ex' }).needsSchema, [])
  }
  alter('ADD n TINYINT(1), MODIFY b BOOLEAN NOT NULL DEFAULT FALSE')
  alter('CHANGE c d TINYINT(1) AFTER id')
  const kept = { id: 'string', d: 'boolean', v: 'int32', b: 'boolean', n: 'int16' }
  assert.deepEqual(typesOf(interpreter, e04), kept)

  interpreter.forget(e04)
  const printed =
    'CREATE TABLE `e04` (`id` char(36) NOT NULL, `d` tinyint(1), `v` int, `b` tinyint(1) NOT NULL, `n` tinyint(1), PRIMARY KEY (`id`))'
  interpreter.adopt(e04, printed)
  assert.deepEqual(typesOf(interpreter, e04), kept)

  interpreter.interpret('RENAME TABLE e04 TO f04', { database: 'g_ex' })
  const f04 = TableId.of('g_ex', 'f04')
  interpreter.adopt(f04, printed.replace('e04', 'f04'))
  assert.deepEqual(typesOf(interpreter, f04), kept)
})

test('it has another type when a statement names one, and in a new table of that name', () => {
  const interpreter = recovered(exotic, linesOf(exotic))
  interpreter.interpret('ALTER TABLE e04 MODIFY b INT, MODIFY c TINYINT(4)', { database: 'g_ex' })
  assert.deepEqual(typesOf(interpreter, e04), { id: 'string', v: 'int32', b: 'int32', c: 'int16' })
  const again = recovered(exotic, linesOf(exotic))
  again.interpret('DROP TABLE e04', { database: 'g_ex' })
  again.interpret('CREATE TABLE e04 (id INT PRIMARY KEY, b BOOLEAN)', { database: 'g_ex' })
  again.adopt(e04, 'CREATE TABLE `e04` (`id` int NOT NULL, `b` tinyint(1), PRIMARY KEY (`id`))')
  assert.deepEqual(typesOf(again, e04), { id: 'int32', b: 'int16' })
})

test('the history that Tributary continues has the same types', () => {
  const interpreter = recovered(exotic, linesOf(exotic))
  const [event] = interpreter.interpret('ALTER TABLE e04 ADD n INT', { database: 'g_ex' }).events
  const again = interpreterOf(exotic)
  again.recover({ databaseName: 'g_ex', ddl: event?.ddl ?? '', changes: event?.changes ?? [] })
  assert.equal(typesOf(again, e04)['b'], 'boolean')
})

test('the values of such columns are those of Debezium: a BOOLEAN is true unless it is 0, a REAL is a float', () => {
  const ids = { '02_decimals.jsonl.gz': TableId.of('g_dec', 'decs2'), [exotic]: e04 }
  const valueOf = (file: keyof typeof ids, column: string, value: number): unknown => {
    const table = present(recovered(file, linesOf(file)).tables.get(ids[file]), 'table')
    const index = table.columns.findIndex(({ name }) => name === column)
    const target = testCompiler({}).compile(table).targets[index]
    assert.ok(target?.kind === 'integer' || target?.kind === 'double')
    return target.of?.(value)
  }
  assert.deepEqual(
    [2, -1, 0].map((value) => valueOf(exotic, 'b', value)),
    [true, true, false],
  )
  assert.equal(valueOf('02_decimals.jsonl.gz', 'f', 0.1), Math.fround(0.1))
})
