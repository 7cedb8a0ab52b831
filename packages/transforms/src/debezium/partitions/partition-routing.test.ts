import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Schema } from '@tributary/connect-api'
import { assertSameOutcome, recordedCases } from '../../testing/oracle-cases.ts'
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
