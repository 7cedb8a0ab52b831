import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type JsonValue, prettyJson } from './pretty-json.ts'
import { tableChangesFromJson, tableChangesToJson } from './table-change-json.ts'

interface HistoryRecord {
  readonly [name: string]: JsonValue
  readonly tableChanges: readonly JsonValue[]
}

/** Texts of the records of a Debezium 3.6 connector's history. */
const recorded: readonly string[] = readFileSync(
  new URL('../../fixtures/history/inventory.jsonl', import.meta.url),
  'utf8',
)
  .trim()
  .split('\n')
  .map((line) => (JSON.parse(line) as { readonly value: string }).value)

test('records are written as Debezium wrote them, to the byte', () => {
  let changes = 0
  for (const text of recorded) {
    const record = JSON.parse(text) as HistoryRecord
    const parsed = tableChangesFromJson(record.tableChanges)
    assert.ok(parsed !== null)
    changes += parsed.length
    assert.equal(prettyJson({ ...record, tableChanges: tableChangesToJson(parsed) }), text)
  }
  assert.equal(changes, 9)
})

test('members that old releases did not write are null or empty', () => {
  const column = { name: 'a', jdbcType: 12, typeName: 'VARCHAR', length: 5, optional: true, position: 2 }
  const first = { name: 'b', jdbcType: 4, typeName: 'INT', defaultValueExpression: '3', position: 1 }
  const table = { primaryKeyColumnNames: ['b'], columns: [column, first] }

  const [change] = tableChangesFromJson([{ type: 'CREATE', id: 'shop.orders', table }]) ?? []

  assert.equal(change?.id.toString(), 'shop.orders')
  assert.equal(change.previousId, null)
  assert.deepEqual(
    change.table?.columns.map(({ name, typeExpression, hasDefaultValue, enumValues, comment }) => ({
      name,
      typeExpression,
      hasDefaultValue,
      enumValues,
      comment,
    })),
    [
      { name: 'b', typeExpression: 'INT', hasDefaultValue: true, enumValues: [], comment: null },
      { name: 'a', typeExpression: 'VARCHAR', hasDefaultValue: false, enumValues: [], comment: null },
    ],
  )
})

const malformed: readonly (readonly [what: string, json: unknown])[] = [
  ['no list', { type: 'CREATE' }],
  ['no type', [{ id: '"a"."b"', table: { columns: [] } }]],
  ['no id', [{ type: 'DROP' }]],
  ['no table', [{ type: 'CREATE', id: '"a"."b"' }]],
  ['no columns', [{ type: 'ALTER', id: '"a"."b"', table: { columns: [] } }]],
  [
    'a column without a name',
    [{ type: 'ALTER', id: '"a"."b"', table: { columns: [{ jdbcType: 4, typeName: 'INT' }] } }],
  ],
]

for (const [what, json] of malformed) {
  test(`not a list of table changes: ${what}`, () => assert.equal(tableChangesFromJson(json), null))
}

test('records without table changes have none', () => {
  assert.deepEqual(tableChangesFromJson(undefined), [])
  assert.deepEqual(tableChangesFromJson([]), [])
})
