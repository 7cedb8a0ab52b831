/** Documents of 50 MB: the text of the stream has the hash of the server's, and takes time in proportion to its size. */
import { EncodedText, Struct } from '@tributary/connect-api'
import { useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { isStreaming, sceneOf, TaskRun } from '../testing/task-run.ts'

const NUMBERS = '(WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 1000) SELECT n FROM c)'

const DOCUMENTS = {
  'a long string': `JSON_QUOTE(REPEAT('x"y\\n', 8000000))`,
  'two million members': `(SELECT JSON_ARRAYAGG(JSON_OBJECT('id', x.n, 'big', x.n * 1e9, 'd', x.n / 3)) FROM
    (SELECT a.n * 1000 + b.n AS n FROM ${NUMBERS} AS a JOIN ${NUMBERS} AS b WHERE a.n <= 700) AS x)`,
} as const

for (const [what, expression] of Object.entries(DOCUMENTS)) {
  test(`a document of ${what}`, { timeout: 300_000 }, async (t) => {
    const scene = await sceneOf(await useMySql(), 'CREATE TABLE t (id INT PRIMARY KEY, j JSON)')
    const { database, schema } = scene
    const hashes: string[] = []
    await using task = await TaskRun.start(scene, {})
    task.onRecord = ({ topic, value }) => {
      const after = topic.endsWith('.t') && value instanceof Struct ? value.get('after') : null
      if (!(after instanceof Struct)) return
      const text = after.get('j')
      assert.ok(text instanceof EncodedText)
      hashes.push(createHash('sha256').update(text.bytes.subarray(text.start, text.end)).digest('hex'))
    }
    await task.until(isStreaming)
    await database.query(`INSERT INTO ${schema}.t VALUES (1, ${expression})`)
    const begin = process.hrtime.bigint()
    await task.untilChanges(1)
    const ms = Number(process.hrtime.bigint() - begin) / 1e6
    // No text of these documents has a space.
    const [row] = await database.query(
      `SELECT SHA2(REPLACE(j, ' ', ''), 256) AS hash, LENGTH(j) AS length FROM ${schema}.t`,
    )
    assert.deepEqual(hashes, [row?.['hash']])
    t.diagnostic(`${String(row?.['length'])} bytes of text in ${Math.round(ms)} ms`)
  })
}
