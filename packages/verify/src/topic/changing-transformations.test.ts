import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changingTransformations } from './changing-transformations.ts'

const KAFKA = 'org.apache.kafka.connect.transforms'

test('only transformations that leave topic, key and value as they are do not change records', () => {
  const config = {
    transforms: ' mark, drop,copy , move,unwrap, filter, own,none',
    'transforms.mark.type': `${KAFKA}.InsertHeader`,
    'transforms.drop.type': `${KAFKA}.DropHeaders`,
    'transforms.copy.type': `${KAFKA}.HeaderFrom$Value`,
    'transforms.copy.operation': 'copy',
    'transforms.move.type': `${KAFKA}.HeaderFrom$Value`,
    'transforms.move.operation': 'move',
    'transforms.unwrap.type': 'io.debezium.transforms.ExtractNewRecordState',
    'transforms.filter.type': `${KAFKA}.Filter`,
    'transforms.own.type': 'example.InsertHeader',
  }
  assert.deepEqual(changingTransformations(config), ['move', 'unwrap', 'filter', 'own', 'none'])
  assert.deepEqual(changingTransformations({ transforms: ' ' }), [])
  assert.deepEqual(changingTransformations({}), [])
})
