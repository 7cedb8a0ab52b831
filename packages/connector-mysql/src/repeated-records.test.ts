import type { OffsetDocument } from '@tributary/connect-api'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PlacedRecord, RepeatedRecords } from './repeated-records.ts'
import { DdlInterpreter } from './schema/ddl-interpreter.ts'
import type { DdlInterpreterOptions } from './schema/ddl-interpreter-options.ts'

const MARIADB: DdlInterpreterOptions = {
  flavor: 'mariadb',
  serverVersion: 101_100,
  lowerCaseTableNames: 0,
  serverCharset: 'utf8mb4',
  includesComments: false,
}

const STATEMENTS = [
  'CREATE TABLE t (id INT PRIMARY KEY, a INT, UNIQUE u (a)) WITH SYSTEM VERSIONING',
  'ALTER TABLE t ADD COLUMN f INT',
  'ALTER TABLE t ADD COLUMN e INT FIRST, DROP INDEX u',
  'ALTER TABLE t RENAME TO s',
  'ALTER TABLE s CHANGE e g INT NOT NULL, ADD UNIQUE v (g)',
]

for (let from = 1; from < STATEMENTS.length; from++) {
  test(`keys and versions are known after the records from number ${from} on were repeated`, () => {
    const [writer, reader] = [new DdlInterpreter(MARIADB), new DdlInterpreter(MARIADB)]
    const records = STATEMENTS.flatMap((sql, i) =>
      writer.interpret(sql, { database: 'shop' }).events.map(({ databaseName, ddl, changes }): PlacedRecord => {
        const position: OffsetDocument = { file: 'binlog.000001', pos: 100 * i }
        return { databaseName, ddl, changes: changes.map(recorded), position }
      }),
    )
    const recovery = new RepeatedRecords(reader)

    for (const record of [...records, ...records.slice(from)]) recovery.recover(record)

    assert.deepEqual([...reader.tables], [...writer.tables])
    assert.equal([...reader.tables][0]?.versioning.tag, 'hidden')
  })
}

/** A history record has neither keys nor versioning. */
function recorded({ table, ...change }: PlacedRecord['changes'][number]): PlacedRecord['changes'][number] {
  if (table === null) return { ...change, table }
  const { id, columns, primaryKeyColumnNames, defaultCharsetName, comment, attributes } = table
  return { ...change, table: { id, columns, primaryKeyColumnNames, defaultCharsetName, comment, attributes } }
}
