import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shopInterpreter } from '../testing/shop-interpreter.ts'
import { rangeColumn, splitRange } from './key-ranges.ts'

test('the parts of a range follow each other without a gap, open at both ends', () => {
  for (const [lowest, highest, connections] of [
    [1n, 100_000n, 2],
    [1n, 2_000_000n, 4],
    [-(2n ** 63n), 2n ** 63n - 1n, 4],
    [0n, 2n ** 64n - 1n, 3],
  ] as const) {
    const parts = splitRange(lowest, highest, connections)
    assert.ok(parts.length > 1 && parts.length <= connections * 8)
    assert.deepEqual([parts[0]?.from, parts.at(-1)?.to], [null, null])
    for (const [i, { from, to }] of parts.entries()) {
      if (i === 0) continue
      assert.equal(from, parts[i - 1]?.to)
      assert.ok(from !== null && from > lowest && from <= highest)
      assert.ok(to === null || to > from)
    }
  }
  assert.deepEqual(splitRange(1n, 99_999n, 4), [{ from: null, to: null }])
  assert.deepEqual(splitRange(7n, 7n, 4), [{ from: null, to: null }])
})

test('a table is read in parts only when its primary key is one integer', () => {
  const interpreter = shopInterpreter()
  const table: readonly (readonly [definition: string, column: string | null])[] = [
    ['id INT PRIMARY KEY', 'id'],
    ['`a``b` BIGINT UNSIGNED, PRIMARY KEY (`a``b`)', 'a`b'],
    ['id SMALLINT UNSIGNED ZEROFILL PRIMARY KEY', 'id'],
    ['id INT, n INT, PRIMARY KEY (id, n)', null],
    ['id INT NOT NULL UNIQUE', null],
    ['id INT', null],
    ['id DECIMAL(20,0) PRIMARY KEY', null],
    ['id VARCHAR(20) PRIMARY KEY', null],
    ['id POINT NOT NULL, n INT', null],
  ]
  for (const [i, [definition, column]] of table.entries()) {
    interpreter.interpret(`CREATE TABLE t${i} (${definition})`, { database: 'shop' })
    const made = [...interpreter.tables].find(({ id }) => id.table === `t${i}`)
    assert.ok(made !== undefined)
    assert.equal(rangeColumn(made), column, definition)
  }
})
