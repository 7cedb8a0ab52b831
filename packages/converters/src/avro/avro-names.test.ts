import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Schema, Schemas } from '@tributary/connect-api'
import { recordName } from './avro-names.ts'

const struct = (name: string | null, optional = false): Schema =>
  Schema.struct([['id', Schemas.int32]], { optional, ...(name === null ? {} : { name }) })

test('a scrubbed name is that of AvroData of Confluent (2026)', () => {
  // The output of its method scrubFullName.
  const table: readonly (readonly [name: string, scrubbed: string])[] = [
    ['p.d.t.Value', 'p.d.t.Value'],
    ['my-prefix.db.t.Value', 'my_prefix.db.t.Value'],
    ['1a.2b.Value', 'x1a.x2b.Value'],
    ['ä.ö.V', '_C3_A4._C3_B6.V'],
    ['a b.c+d', 'a_b.c_2Bd'],
    ["it's(so)!~*.V", 'it_27s_28so_29_21_7E_.V'],
    ['😀.V', '_F0_9F_98_80.V'],
    ['Value', 'Value'],
    ['shop.order-items.Envelope', 'shop.order_items.Envelope'],
  ]
  for (const [name, scrubbed] of table) assert.equal(recordName(struct(name), true), scrubbed)
})

test('an unnamed struct has the name of the Java converter; other types have no record name', () => {
  assert.equal(recordName(struct(null), false), 'io.confluent.connect.avro.ConnectDefault')
  assert.equal(recordName(Schema.of('string', { name: 'x.Y' }), false), null)
  // Becomes a union.
  assert.equal(recordName(struct('x.Y', true), false), null)
})
