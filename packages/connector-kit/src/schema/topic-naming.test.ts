import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TableId } from '../relational/table-id.ts'
import { TopicNaming } from './topic-naming.ts'

test('topics are named after prefix, database and table; characters that Kafka refuses become underscores', () => {
  const table: readonly (readonly [prefix: string, id: readonly [string, string], topic: string])[] = [
    ['dbserver1', ['inventory', 'customers'], 'dbserver1.inventory.customers'],
    ['a-b_c.d', ['In-1', 'T_2'], 'a-b_c.d.In-1.T_2'],
    ['p', ['my db', 'ta ble'], 'p.my_db.ta_ble'],
    ['p', ['a$b', 'ä'], 'p.a_b._'],
    ['p', ['a.b', 'c/d'], 'p.a.b.c_d'],
    // A character beyond 16 bits is two characters in Java.
    ['p', ['d', '𝒳'], 'p.d.__'],
  ]
  for (const [prefix, [database, name], topic] of table) {
    const naming = new TopicNaming(prefix)
    assert.equal(naming.dataChangeTopic(TableId.of(database, name)), topic)
    assert.equal(naming.schemaChangeTopic, prefix)
  }
})

test('the delimiter between the parts can be set', () => {
  assert.equal(new TopicNaming('p', '-').dataChangeTopic(TableId.of('d', 't')), 'p-d-t')
})
