import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CheckReport, Finding } from '@tributary/connector-mysql'
import { noColours } from '../terminal/palette.ts'
import { renderReport } from './render-report.ts'

function finding(severity: 'error' | 'warning', message: string, statement: string | null): Finding {
  return { severity, code: 'X', property: 'database.hostname', message, statement, className: 'X' }
}

const format = finding('error', 'The format is MIXED.', "SET GLOBAL binlog_format = 'ROW';")
const keys = finding('warning', 'Table a.b has no key.\u001B[2J', null)
const report: CheckReport = {
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
}

test('a report says what is wrong, with the statement in a line of its own, and what a snapshot comes to', () => {
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

1 error, 1 warning
`,
  )
})

test('of many tables the largest are shown, the others counted', () => {
  const tables = Array.from({ length: 25 }, (_, i) => ({ database: 'a', table: `t${i}`, rows: 1, bytes: 1 }))
  const text = renderReport({ ...report, tables, snapshot: null }, noColours)
  assert.match(text, /a\.t19 .*\nand 5 more tables; --json has all\n/)
  assert.doesNotMatch(text, /a\.t20/)
})

test('without a login what is known is told under its property', () => {
  const away = finding('error', 'It cannot be reached.', null)
  const text = renderReport({ server: null, checks: [], findings: [away], tables: [], snapshot: null }, noColours)
  assert.equal(text, '✖ database.hostname\n    It cannot be reached.\n\n\n1 error, 0 warnings\n')
})
