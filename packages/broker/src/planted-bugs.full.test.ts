import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { GroupCoordinator } from './groups/group-coordinator.ts'
import { PartitionLog } from './log/partition-log.ts'
import { ProducerStates } from './log/producer-states.ts'
import { ErrorCode } from './protocol/error-code.ts'
import { compareBrokers, type Difference } from './testing/compare-brokers.ts'

// The comparison with Kafka is only as good as the defects that it finds. Each of these is planted in the core of the
// broker of this process, and the sequences of compare-with-kafka.full.test.ts have to find it.

test('the comparison finds a broker that shows records of open transactions to readers of committed ones', async () => {
  mock.getter(PartitionLog.prototype, 'stableOffset', function stableOffset(this: PartitionLog) {
    return this.endOffset
  })
  await assertFound(/^(fetch .* committed|list offsets|(committed|aborted) transaction)/)
})

test('the comparison finds a broker that does not look at the sequence numbers of idempotent producers', async () => {
  mock.method(ProducerStates.prototype, 'check', () => ({ tag: 'new' }))
  await assertFound(/^(produce|batches) /)
})

test('the comparison finds a broker that takes offsets from a member of an earlier generation', async () => {
  mock.method(GroupCoordinator.prototype, 'checkCommit', () => ErrorCode.NONE)
  await assertFound(/^commit /)
})

/** Compares until the first difference, which has to be in a step that the defect affects. */
async function assertFound(step: RegExp): Promise<void> {
  const found: Difference[] = []
  try {
    // One by one: the first difference ends it.
    for (let seed = 1; seed <= SEQUENCES && found.length === 0; seed++) {
      await compareBrokers({ seed, sequences: 1, steps: 40, onDifference: (difference) => found.push(difference) })
    }
  } finally {
    mock.restoreAll()
  }
  const [first] = found
  assert.ok(first !== undefined, `${SEQUENCES} sequences find nothing`)
  assert.match(first.step, step)
}

/** As many as compare-with-kafka.full.test.ts. */
const SEQUENCES = 25
