/** Values that are kept after their poll are poisoned (packages/support/src/poison.ts), detached ones are not. */
import { detach, EncodedText, RawStruct, type SourceRecord, Struct } from '@tributary/connect-api'
import { isPoisonOn, POISON_BYTE } from '@tributary/support'
import { useMariaDb, useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStreaming, sceneOf, TaskRun } from '../testing/task-run.ts'

function rowOf(record: SourceRecord): Struct {
  assert.ok(record.value instanceof Struct)
  const row = record.value.get('after')
  assert.ok(row instanceof Struct)
  return row
}

for (const [name, use] of Object.entries({ MySQL: useMySql, MariaDB: useMariaDb })) {
  test(`${name}: a row and a text that are kept after their poll are poisoned; a detached record does not change`, async () => {
    assert.ok(isPoisonOn, 'npm test switches poison on')
    const scene = await sceneOf(await use(), 'CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20), doc JSON)')
    const { database, schema } = scene
    await using run = await TaskRun.start(scene, { 'snapshot.mode': 'no_data' })
    await run.until(isStreaming)
    const kept: { readonly row: Struct; readonly text: EncodedText; readonly copy: SourceRecord }[] = []
    run.onRecord = (record) => {
      const row = rowOf(record)
      const text = row.get('name')
      assert.ok(row instanceof RawStruct && text instanceof EncodedText)
      kept.push({ row, text, copy: detach(record) })
    }

    await database.query(`INSERT INTO ${schema}.t VALUES (1, 'first', '{"a": 1}')`)
    await run.untilChanges(1)
    await database.query(`INSERT INTO ${schema}.t VALUES (2, 'second', NULL)`)
    await run.untilChanges(2)

    const [first] = kept
    assert.ok(first !== undefined)
    assert.throws(() => first.row.get('id'), { name: 'PoisonedError' })
    assert.throws(() => first.row.get('name'), { name: 'PoisonedError' })
    const { bytes, start, end } = first.text
    assert.deepEqual(
      [...bytes.subarray(start, end)],
      Array.from('first', () => POISON_BYTE),
    )
    const copy = rowOf(first.copy)
    const doc = copy.get('doc')
    assert.ok(typeof doc === 'string')
    assert.deepEqual([copy.get('id'), copy.get('name'), JSON.parse(doc)], [1, 'first', { a: 1 }])
  })
}
