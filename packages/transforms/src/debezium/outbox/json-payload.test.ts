import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameAdjuster, Struct } from '@tributary/connect-api'
import { type ExpandedPayload, JsonPayload } from './json-payload.ts'

function refusal(expanded: ExpandedPayload | string): string {
  return typeof expanded === 'string' ? expanded : 'expanded'
}

const keepNames = nameAdjuster('none', 'field')

test('documents of one shape have one schema object', () => {
  const payload = new JsonPayload('payload', keepNames, false)
  const [one, two, other] = ['{"a":1,"b":{"c":"x"}}', '{"a":2,"b":{"c":"y"}}', '{"a":1,"b":{"d":"x"}}'].map((text) =>
    payload.expand(text),
  )
  assert.ok(typeof one === 'object' && typeof two === 'object' && typeof other === 'object')
  assert.equal(one.schema, two.schema)
  assert.notEqual(one.schema, other.schema)
})

test('members keep their values when their names are adjusted', () => {
  const expanded = new JsonPayload('payload', nameAdjuster('avro', 'field'), false).expand('{"a-b":[{"c d":5}]}')
  assert.ok(typeof expanded === 'object' && expanded.value instanceof Struct)
  const items = expanded.value.get('a_b')
  assert.ok(Array.isArray(items) && items[0] instanceof Struct)
  assert.equal(items[0].get('c_d'), 5)
})

test('members whose names become equal are not expanded', () => {
  const payload = new JsonPayload('payload', nameAdjuster('avro', 'field'), false)
  assert.match(refusal(payload.expand('{"a-b":1,"a b":2}')), /two members have the name a_b/)
  assert.match(refusal(payload.expand('{"a":[{"a-b":1},{"a b":2}]}')), /two members have the name a_b/)
})

test('deep documents and those with schemas of quadratic size are refused at once', () => {
  const payload = new JsonPayload('payload', keepNames, false)
  assert.match(refusal(payload.expand('{"a":'.repeat(1001) + '1' + '}'.repeat(1001))), /more than 1000 levels/)
  assert.match(refusal(payload.expand('['.repeat(1_000_000))), /more than 1000 levels/)
  const name = 'n'.repeat(5000)
  assert.match(
    refusal(payload.expand(`{"${name}":`.repeat(900) + '1' + '}'.repeat(900))),
    /names of its schema are too long/,
  )
  assert.ok(typeof payload.expand('{"a":'.repeat(900) + '1' + '}'.repeat(900)) === 'object')
})

test('objects of one array keep all their members, at any depth', () => {
  const payload = new JsonPayload('payload', keepNames, false)
  for (const text of ['{"a":[{"b":{"x":1}},{"b":{"y":2}}]}', '{"a":[[{"x":1}],[{"y":2}]]}']) {
    const expanded = payload.expand(text)
    assert.ok(typeof expanded === 'object')
    // Absent members are null.
    assert.deepEqual(plain(expanded.value), plain(JSON.parse(text)))
  }
})

test('a payload that would lose something is not expanded', () => {
  const payload = new JsonPayload('payload', keepNames, false)
  for (const text of [
    '[1]',
    '{"a":1} {"b":2}',
    '{"a":9223372036854775808}',
    '{"a":[{"b":1},{"b":"x"}]}',
    '{"a":[[1],["x"]]}',
  ]) {
    assert.notEqual(refusal(payload.expand(text)), 'expanded', text)
  }
})

/** Without members that are null. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  const entries =
    value instanceof Struct
      ? value.schema.fields.map(({ name, index }) => [name, value.at(index)] as const)
      : Object.entries(value)
  return Object.fromEntries(
    entries.filter(([, member]) => member !== null).map(([name, member]) => [name, plain(member)]),
  )
}
