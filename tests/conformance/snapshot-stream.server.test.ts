/**
 * A row has the same bytes in a snapshot and in the stream, whatever metadata the table maps contain, and its values
 * equal the result of the server's SELECT.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { LogRecord } from '@tributary/kafka'
import {
  casesOfTier,
  connectorConfig,
  type Database,
  type DatabaseServer,
  startMariaDb,
  startMySql,
  startService,
  uniqueName,
  useKafka,
  waitForRecords,
} from '@tributary/testkit'
import { createFamilies } from './create-families.ts'
import { member, parseExactJson } from './exact-json.ts'
import { rowDifferences, rowFields, selectTexts } from './server-text.ts'
import type { TypeFamily } from './type-family.ts'
import { typeFamilies } from './type-values.ts'

/** Added to the ids of rows that are copied, for each setting of binlog_row_metadata. */
const ID_STEP = 1000

interface Case {
  readonly server: string
  readonly start: () => Promise<DatabaseServer>
  readonly settings: readonly string[]
}

const cases: readonly Case[] = [
  { server: 'MySQL', start: startMySql, settings: ['MINIMAL', 'FULL'] },
  { server: 'MariaDB', start: startMariaDb, settings: ['NO_LOG', 'MINIMAL', 'FULL'] },
]

for (const { server, start, settings } of casesOfTier('snapshot and stream', cases)) {
  describe(server, () => {
    test('a row is the same in snapshot and stream, and equals the result of SELECT', async () => {
      await using database = await start()
      const { bootstrapServers } = await useKafka()
      await using service = await startService({ bootstrapServers })
      const schema = uniqueName('types')
      const families = typeFamilies(database.flavor)
      const rowCounts = await createFamilies(database, schema, families)
      const config = connectorConfig({
        database,
        bootstrapServers,
        prefix: schema,
        includes: schema,
        // Without conversion of values.
        more: { 'bigint.unsigned.handling.mode': 'precise', 'enable.time.adjuster': 'false' },
      })
      await service.register(schema, config)
      const topicOf = ({ name }: TypeFamily): string => `${schema}.${schema}.${name}`
      for (const family of families) await waitForRecords(bootstrapServers, topicOf(family), rowCounts.get(family) ?? 0)

      for (const [i, setting] of settings.entries()) {
        await database.query(`SET GLOBAL binlog_row_metadata = ${setting}`)
        await copyRows(database, schema, { families, idStep: (i + 1) * ID_STEP })
      }

      const session = await database.connect()
      try {
        for (const family of families) {
          const rowCount = rowCounts.get(family) ?? 0
          const wanted = rowCount * (1 + settings.length)
          const records = await waitForRecords(bootstrapServers, topicOf(family), wanted)
          assertSameBytes(family, records, rowCount)
          const selected = await selectTexts(session, schema, family.name)
          const faults = new Set(records.flatMap((record) => differencesFromServer(record, selected)))
          assert.deepEqual([...faults].slice(0, 10), [], family.name)
        }
      } finally {
        session.destroy()
      }
    })
  })
}

async function copyRows(
  database: Database,
  schema: string,
  { families, idStep }: { readonly families: readonly TypeFamily[]; readonly idStep: number },
): Promise<void> {
  for (const { name, types } of families) {
    const columns = ['changed', ...types.map((_, i) => `c${i}`)].join(', ')
    await database.query(
      `INSERT INTO ${schema}.${name} SELECT id + ${idStep}, ${columns} FROM ${schema}.${name} WHERE id < ${ID_STEP} ORDER BY id`,
    )
  }
}

/** Schema and payload of each row equal, byte for byte, those of the row that it was copied from, except the id. */
function assertSameBytes({ name }: TypeFamily, records: readonly LogRecord[], rowCount: number): void {
  const ofSnapshot = new Map<number, readonly [schema: string, row: string]>()
  for (const [i, record] of records.entries()) {
    const { id, op, schema, row } = partsOf(record)
    assert.equal(op, i < rowCount ? 'r' : 'c')
    if (op === 'r') ofSnapshot.set(id, [schema, row])
    else assert.deepEqual([schema, row], ofSnapshot.get(id % ID_STEP), `${name}, row ${id}`)
  }
  assert.equal(ofSnapshot.size, rowCount)
}

/** The unparsed texts of a record's parts. `row` starts after the id. */
function partsOf({ value }: LogRecord): { id: number; op: string; schema: string; row: string } {
  const text = value?.toString() ?? ''
  const payloadAt = text.indexOf(',"payload":{"before":null,"after":{"id":')
  const sourceAt = text.lastIndexOf('},"source":{')
  const [, op = ''] = /"op":"(.)"/.exec(text.slice(sourceAt)) ?? []
  const [, id = '', row = ''] = /"id":(\d+)(.*)$/s.exec(text.slice(payloadAt, sourceAt)) ?? []
  return { id: Number(id), op, schema: text.slice(0, payloadAt), row }
}

/** Describes the differences between a record and its row in the table. */
function differencesFromServer({ value }: LogRecord, selected: Awaited<ReturnType<typeof selectTexts>>): string[] {
  const document = parseExactJson(value?.toString() ?? '')
  const row = member(member(document, 'payload'), 'after')
  const id = /"id":(\d+)/.exec(value?.toString() ?? '')?.[1]
  const server = selected.find(([first]) => first?.text === id)
  assert.ok(server !== undefined)
  const fields = rowFields(document, 'after')
  assert.deepEqual(
    [...fields.keys()],
    server.map(({ column }) => column),
  )
  return rowDifferences(row, fields, server).map((difference) => difference.slice(0, 300))
}
