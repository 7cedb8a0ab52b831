import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom, useMariaDb, useMySql } from '@tributary/testkit'
import { escapeString, readQuoted, unescapeString } from './string-literal.ts'

const QUOTE = "'".charCodeAt(0)
/** Whole characters and escapes, so that any sequence of them is a valid literal. */
const PIECES = [
  "''",
  "\\'",
  '\\"',
  '\\n',
  '\\t',
  '\\b',
  '\\r',
  '\\0',
  '\\Z',
  '\\%',
  '\\_',
  '\\x',
  '\\\\',
  '\\é',
  'é',
  '😀',
  '"',
  'a',
  ' ',
  '%',
]

function literals(): string[] {
  const random = seededRandom(20_260_101)
  return Array.from({ length: 120 }, () =>
    Array.from({ length: random.integer(0, 9) }, () => random.pick(PIECES)).join(''),
  )
}

for (const [name, use] of [
  ['MySQL', useMySql],
  ['MariaDB', useMariaDb],
] as const) {
  test(`string literals have the value that ${name} gives them`, async () => {
    const server = await use()
    for (const inside of literals()) {
      const [row] = await server.query(`SELECT HEX('${inside}') AS h`)
      const expected = Buffer.from(String(row?.['h']), 'hex').toString()
      assert.equal(readQuoted(`'${inside}'`, 1, QUOTE, true).value, expected, inside)
      assert.equal(unescapeString(inside), expected, inside)
    }
  })

  test(`${name} reads an escaped string as the original`, async () => {
    const server = await use()
    for (const inside of literals()) {
      const text = unescapeString(inside)
      const [row] = await server.query(`SELECT HEX('${escapeString(text)}') AS h`)
      assert.equal(Buffer.from(String(row?.['h']), 'hex').toString(), text, inside)
    }
  })
}
