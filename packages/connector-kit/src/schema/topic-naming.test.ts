import { JavaPattern } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TableId } from '../relational/table-id.ts'
import { TopicNaming } from './topic-naming.ts'

// The strategies of Debezium are compared with the original in connector-mysql (config/topic-strategies.test.ts).

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
    const naming = new TopicNaming({ prefix })
    assert.deepEqual(naming.topicOf(TableId.of(database, name)), { name: topic, keyField: null })
    assert.equal(naming.schemaChangeTopic, prefix)
  }
})

test('the delimiter between the parts can be set', () => {
  const naming = new TopicNaming({ prefix: 'p', delimiter: '-' })
  assert.equal(naming.topicOf(TableId.of('d', 't')).name, 'p-d-t')
})

test('a route to a name that Kafka refuses is an error with the table and the name', () => {
  const pattern = new JavaPattern('p\\.(.*)')
  const naming = new TopicNaming({
    prefix: 'p',
    route: { pattern, replacement: pattern.replacement('all $1'), keyField: null },
  })
  assert.throws(() => naming.topicOf(TableId.of('d', 't')), {
    code: 'TOPIC_NAME_REFUSED',
    message: /events of the table d\.t to the topic 'all d\.t'/,
  })
})
