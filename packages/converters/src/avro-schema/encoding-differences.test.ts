import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodingDifferences } from './encoding-differences.ts'

function table(...fields: readonly (readonly [name: string, type: unknown, more?: object])[]): string {
  const row = { type: 'record', name: 'Value', fields: fields.map(([name, type, more]) => ({ name, type, ...more })) }
  return JSON.stringify({
    type: 'record',
    name: 'Envelope',
    fields: [
      { name: 'before', type: ['null', row] },
      { name: 'after', type: ['null', 'Value'] },
      { name: 'op', type: 'string' },
    ],
  })
}

const base = table(['id', 'int'], ['name', ['null', 'string'], { default: null }])

test('changes that do not affect the encoding are no differences', () => {
  const documented = table(
    ['id', { type: 'int', 'connect.type': 'int16' }, { doc: 'the key' }],
    ['name', ['null', { type: 'string', 'connect.version': 1 }]],
  )
  assert.deepEqual(encodingDifferences(base, documented), [])
})

test('a record that replaces two different records is compared with both', () => {
  const row = (name: string, type: string): object => ({ type: 'record', name, fields: [{ name: 'x', type }] })
  const envelope = (before: object, after: object | string): string =>
    JSON.stringify({
      type: 'record',
      name: 'E',
      fields: [
        { name: 'before', type: before },
        { name: 'after', type: after },
      ],
    })
  const registered = envelope(row('A', 'int'), row('B', 'string'))

  assert.deepEqual(encodingDifferences(registered, envelope(row('A', 'int'), 'A')), ['after.x was string, is int'])
})

test('each difference is listed once, with its place', () => {
  const cases: readonly (readonly [after: string, differences: readonly string[]])[] = [
    [table(['id', 'long'], ['name', ['null', 'string']]), ['before.id was int, is long']],
    [table(['id', 'int']), ['before.name (null or string) was removed']],
    [table(['id', 'int'], ['name', ['null', 'string']], ['email', 'string']), ['before.email (string) is new']],
    [table(['name', ['null', 'string']], ['id', 'int']), ['the order of the fields of before']],
    [table(['id', 'int'], ['name', 'string']), ['before.name was null or string, is string']],
    [
      table(['id', 'int'], ['name', ['string', 'null']]),
      ['before.name was null, is string', 'before.name was string, is null'],
    ],
  ]
  for (const [after, differences] of cases) assert.deepEqual(encodingDifferences(base, after), differences)
})
