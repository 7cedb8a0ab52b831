import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Database, useMariaDb, useMySql } from '@tributary/testkit'
import { readComment } from './executable-comment.ts'

/**
 * Versions on both sides of each rule: number of digits, the blank after them, MariaDB's gap for MySQL, the server's
 * own version.
 */
function comments(version: number): string[] {
  const versions = ['', '10000', '50100', '50699', '50700', '80000', '99999', '100000', '080000', '999999']
  const own = [version, version + 1].map(String)
  const marks = [...versions, ...own].flatMap((digits) => [`/*!${digits} 1+*/`, `/*M!${digits} 1+*/`])
  return [
    ...marks,
    '/*!500001+*/',
    '/*!8000001+*/',
    '/* 1+*/',
    '/*+ 1+*/',
    '/*!50100 1+ /* 1+ */ */',
    '/*!99999 /* 1+ */ 1+*/',
  ]
}

async function assertAgrees(server: Database): Promise<void> {
  const [major = 0, minor = 0, patch = 0] = server.version.split(/[.-]/).map(Number)
  const serverVersion = major * 10_000 + minor * 100 + patch
  const all = comments(serverVersion)
  for (const comment of all) {
    const [row] = await server.query(`SELECT ${comment} 2 AS v`)
    const reading = readComment(comment, 0, { flavor: server.flavor, serverVersion, ansiQuotes: false })
    const inside = reading.isExecuted ? comment.slice(reading.start).replaceAll(/\/\* 1\+ \*\/|\*\/$/g, '') : ''
    const expected = Number(row?.['v'])
    // Digits that the server does not read as a version are part of the content: 11+ is 11 +.
    const ours = `${inside} 2`.split('+').reduce((sum, term) => sum + Number(term), 0)
    assert.equal(ours, expected, comment)
  }
}

test('executes the same comments as MySQL', async () => assertAgrees(await useMySql()))

test('executes the same comments as MariaDB', async () => assertAgrees(await useMariaDb()))
