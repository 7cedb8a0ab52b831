import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSignal } from './signal.ts'
import { parseSnapshotRequest } from './snapshot-request.ts'

test('a signal is a JSON object with a type; its data is an object or a text', () => {
  const forms = [
    '{"id":"1","type":"execute-snapshot","data":{"data-collections":["a.b"]}}',
    String.raw`{"id":"1","type":"execute-snapshot","data":"{\"data-collections\":[\"a.b\"]}"}`,
  ]
  for (const form of forms) {
    const parsed = parseSignal(form, 'file')
    assert.deepEqual(parsed, {
      tag: 'signal',
      signal: { id: '1', type: 'execute-snapshot', data: '{"data-collections":["a.b"]}', channel: 'file' },
    })
  }
  for (const wrong of ['', '[]', 'null', '{"id":"1"}', '{"type":3}', '{"type":""}', '{']) {
    assert.equal(parseSignal(wrong, 'file').tag, 'invalid', wrong)
  }
})

test('a request for a snapshot names tables by patterns', () => {
  const data = JSON.stringify({
    'data-collections': ['shop.c.*', 'shop.x{1,2}'],
    'additional-conditions': [{ 'data-collection': 'shop.customers', filter: ' id > 3 ' }],
    'surrogate-key': 'code',
  })
  const parsed = parseSnapshotRequest({ data })
  assert.ok(parsed.tag === 'request')
  const { request } = parsed
  assert.equal(request.type, 'incremental')
  assert.deepEqual(
    ['shop.customers', 'shop.xx', 'shop.xxx', 'other.shop.c'].map(
      (name) => request.tables?.some((pattern) => pattern.matches(name)) ?? false,
    ),
    [true, true, false, false],
  )
  assert.deepEqual(
    request.conditions.map(({ filter }) => filter),
    ['id > 3'],
  )
  assert.equal(request.surrogateKey, 'code')
  const all = parseSnapshotRequest({ data: '' })
  assert.ok(all.tag === 'request' && all.request.tables === null)
})

/** JSON.parse reads it; JSON.stringify has no stack for it. */
const deep = `${'['.repeat(8_000)}${']'.repeat(8_000)}`

test('a signal that is too long or nested too deeply is refused', () => {
  const wrong = [`{"type":"log","data":${deep}}`, `{"type":"log","data":"${'x'.repeat(200_000)}"}`]
  for (const text of wrong) assert.equal(parseSignal(text, 'file').tag, 'invalid')
})

test('a request that cannot be read is refused as a whole', () => {
  const wrong: readonly (readonly [data: string, reason: RegExp])[] = [
    ['[1]', /not a JSON object/],
    ['{"type":"full"}', /another type than incremental and blocking/],
    ['{"data-collections":"a.b"}', /not a list/],
    ['{"data-collections":[3]}', /not names/],
    ['{"data-collections":["a.("]}', /regular expression/],
    ['{"additional-conditions":[{"data-collection":"a.b"}]}', /without a filter/],
    ['{"additional-conditions":{}}', /not a list/],
    ['{"additional-condition":"id > 3"}', /now additional-conditions/],
    ['{"data-collection":["a.b"]}', /has the unknown key "data-collection"/],
    ['{"additional-conditions":[{"data-collection":"a.b","filters":"x"}]}', /has the unknown key "filters"/],
    [`{"type":${deep}}`, /another type/],
    [`{"data-collections":[${deep}]}`, /not names/],
  ]
  for (const [data, reason] of wrong) {
    const parsed = parseSnapshotRequest({ data })
    assert.ok(parsed.tag === 'invalid', data)
    assert.match(parsed.reason, reason)
  }
})
