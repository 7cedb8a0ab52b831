import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Finding } from '@tributary/connector-mysql'
import { noColours } from '../terminal/palette.ts'
import type { PrintedReport } from './check-report.ts'
import { renderReport } from './render-report.ts'

function finding(severity: 'error' | 'warning', message: string, statement: string | null): Finding {
  return { severity, code: 'X', property: 'database.hostname', message, statement, className: 'X' }
}

const format = finding('error', 'The format is MIXED.', "SET GLOBAL binlog_format = 'ROW';")
const keys = finding('warning', 'Table a.b has no key.\u001B[2J', null)
const report: PrintedReport = {
  server: { address: 'db:3306', flavor: 'mysql', version: '9.7.0' },
  checks: [
    { title: 'TLS', found: 'not encrypted', findings: [] },
    { title: 'Format of the binlog', found: 'MIXED', findings: [format] },
    { title: 'Keys', found: '1 table without', findings: [keys] },
  ],
  findings: [format, keys],
  tables: [
    { database: 'shop', table: 'orders', rows: 12_345_678, bytes: 2_500_000_000 },
    { database: 'shop', table: 'pets', rows: 3, bytes: 16_384 },
  ],
  snapshot: { tables: 2, rows: 12_345_681, bytes: 2_500_016_384, seconds: 124 },
  notChecked: ['The Kafka brokers of topic h (k:9092).'],
  name: 'shop',
  properties: [],
}

test('a report shows findings, statements in lines of their own, the snapshot, and what was not checked', () => {
  assert.equal(
    renderReport(report, noColours),
    `MySQL 9.7.0 at db:3306

✔ TLS                   not encrypted
✖ Format of the binlog  MIXED
    The format is MIXED.

    SET GLOBAL binlog_format = 'ROW';

⚠ Keys                  1 table without
    Table a.b has no key.\\u001b[2J


CAPTURED TABLE  ROWS (ABOUT)  SIZE
shop.orders     12,345,678    2.5 GB
shop.pets       3             17 kB

Snapshot: 2 tables, about 12,345,681 rows, 2.5 GB: about 2 minutes, by the server's estimates and a measured rate.

Not checked: The Kafka brokers of topic h (k:9092).

1 error, 1 warning
`,
  )
})

const statements: readonly (readonly [message: string, statement: string, shown: string])[] = [
  ['No SELECT. Run: GRANT SELECT;', 'GRANT SELECT;', 'No SELECT. Run the statement below.'],
  ['It is off. Run: SET a = 1; and write a=1.', 'SET a = 1;', 'It is off. Run the statement below and write a=1.'],
  [
    'Run, one after the other: A; B; and restart.',
    'A; B;',
    'Run, one after the other: the statements below and restart.',
  ],
  ['Nothing to run.', 'A;', 'Nothing to run.'],
]

test('a statement is printed once, and the message refers to it', () => {
  for (const [message, statement, shown] of statements) {
    const { findings, ...rest } = { ...report, findings: [finding('error', message, statement)] }
    const text = renderReport({ ...rest, findings, checks: [], tables: [], snapshot: null }, noColours)
    assert.ok(text.includes(`\n    ${shown}\n\n    ${statement}\n\n`), text)
    assert.equal(text.split(statement).length, 2, text)
  }
})

test('of many tables the report lists the largest and counts the others', () => {
  const tables = Array.from({ length: 25 }, (_, i) => ({ database: 'a', table: `t${i}`, rows: 1, bytes: 1 }))
  const text = renderReport({ ...report, tables, snapshot: null }, noColours)
  assert.match(text, /a\.t19 .*\nand 5 more tables; --json has all\n/)
  assert.doesNotMatch(text, /a\.t20/)
})

const NOTHING = { server: null, checks: [], tables: [], snapshot: null, notChecked: [], name: 'shop', properties: [] }

test('without a login the report has the findings under their properties', () => {
  const unreachable = finding('error', 'It is unreachable.', null)
  const text = renderReport({ ...NOTHING, findings: [unreachable] }, noColours)
  assert.equal(text, '✖ database.hostname\n    It is unreachable.\n\n\n1 error, 0 warnings\n')
})
