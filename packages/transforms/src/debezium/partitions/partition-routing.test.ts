import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Schema } from '@tributary/connect-api'
import { silentLogger } from '@tributary/support'
import { assertSameOutcome, recordedCases } from '../../testing/oracle-cases.ts'
import { readRecord } from '../../testing/record-notation.ts'
import { javaHash } from './java-hash.ts'
import { partitionRoutingPlugin } from './partition-routing.ts'

/** What Debezium 3.6.1 does: fixtures/cases/partition-routing.ts. */
const cases = recordedCases('partition-routing')
const deviations = { 'unlike: images': 'Debezium throws a NullPointerException for a field of an absent image' }

for (const recorded of cases) {
  test(`${recorded.name}: the same partitions as Debezium’s class chooses`, () => {
    assertSameOutcome(recorded, { plugins: [partitionRoutingPlugin], deviations })
  })
}

test('bytes have the hash of a ByteBuffer', () => {
  // ByteBuffer.wrap(new byte[] {1, -1, 97}).hashCode() of Java 17.
  assert.equal(javaHash(Uint8Array.of(1, 255, 97), Schema.of('bytes')), 122978)
})

test('a field of an absent image is ignored', () => {
  const recorded = cases.find(({ name }) => name === 'unlike: images')
  assert.ok(recorded !== undefined)
  const partitions = (fields: string): readonly (number | null | undefined)[] => {
    const stage = partitionRoutingPlugin.create()
    stage.configure({ 'partition.payload.fields': fields, 'partition.topic.num': '7' }, { logger: silentLogger })
    return recorded.records.map((notation) => stage.apply(readRecord(notation, (text) => text))?.partition)
  }
  const [created, , , deleted, truncated] = partitions('after.int,before.int')
  assert.deepEqual([created, deleted, truncated], [partitions('after.int')[0], partitions('before.int')[3], null])
})
