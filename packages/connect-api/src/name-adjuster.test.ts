import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameAdjuster, type NameAdjustment } from './name-adjuster.ts'

/**
 * Expected values are those of Debezium's SchemaNameAdjusterTest and TableSchemaBuilderTest, or follow its code by
 * hand.
 */
test('names become valid in Avro', () => {
  const table: readonly (readonly [NameAdjustment, 'schema' | 'field', name: string, adjusted: string])[] = [
    ['none', 'schema', 'a-b.c d', 'a-b.c d'],
    ['avro', 'schema', 'test-server.db.ta ble.Value', 'test_server.db.ta_ble.Value'],
    ['avro', 'schema', '1-prefix.t', '_1_prefix.t'],
    ['avro', 'schema', 'a.1b', 'a.1b'],
    ['avro', 'field', 'a.b', 'a_b'],
    ['avro', 'field', '1st', '_1st'],
    ['avro', 'field', '_under', '_under'],
    ['avro', 'field', 'ä€', '__'],
    ['avro', 'field', '😀', '__'],
    ['avro_unicode', 'field', 'a-b', 'a_u002db'],
    ['avro_unicode', 'field', 'a_b', 'a_u005fb'],
    ['avro_unicode', 'field', '1a', '_u0031a'],
    ['avro_unicode', 'field', '\t', '_u009'],
    ['avro_unicode', 'field', '€', '_u20ac'],
    ['avro_unicode', 'schema', 'a-b.c', 'a_u002db.c'],
    ['avro', 'field', '', ''],
  ]
  for (const [adjustment, kind, name, adjusted] of table) {
    assert.equal(nameAdjuster(adjustment, kind)(name), adjusted, `${adjustment} ${kind} ${name}`)
  }
})
