import type { SourceRecord } from '@tributary/connect-api'
import { fakeClock } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChangePosition } from './change.ts'
import { PollScope } from './poll-scope.ts'
import { ProgressStage } from './progress-stage.ts'
import { StageChain } from './stage-chain.ts'

function at(pos: number): ChangePosition {
  return { toDocument: () => ({ pos }), isSamePlace: (other) => other.toDocument()['pos'] === pos }
}

/**
 * One poll each: seconds since the poll before, records in it, position, milestone; then the position that is reported,
 * or null.
 */
type Step = readonly [seconds: number, records: number, pos: number, isMilestone: boolean, reported: number | null]

const cases: readonly (readonly [name: string, steps: readonly Step[]])[] = [
  [
    'a position is reported once captured tables have been quiet for five seconds',
    [
      [0, 0, 1, false, null],
      [4, 0, 2, false, null],
      [1, 0, 3, false, 3],
      [4, 0, 4, false, null],
    ],
  ],
  [
    'records begin the five seconds anew, since they carry the position',
    [
      [0, 0, 1, false, null],
      [4, 1, 2, false, null],
      [4, 0, 3, false, null],
      [1, 0, 3, false, 3],
    ],
  ],
  [
    'the same place is reported once',
    [
      [0, 0, 1, false, null],
      [5, 0, 1, false, 1],
      [5, 0, 1, false, null],
      [5, 0, 2, false, 2],
    ],
  ],
  [
    'a milestone is reported at once',
    [
      [0, 1, 1, false, null],
      [0, 0, 2, true, 2],
      [5, 0, 2, false, null],
    ],
  ],
]

for (const [name, steps] of cases) {
  test(name, async () => {
    const clock = fakeClock(1_000_000)
    const stages = new StageChain([new ProgressStage({ server: 's' })])
    for (const [seconds, records, pos, isMilestone, reported] of steps) {
      await clock.advance(seconds * 1000)
      const poll = new PollScope({ stages, clock, signal: new AbortController().signal })
      for (let i = 0; i < records; i++) poll.records.push({} as SourceRecord)
      await poll.handle({ tag: 'progress', position: at(pos), isMilestone })
      const { progress } = poll.result(false)
      assert.equal(progress?.offset.toDocument()['pos'] ?? null, reported)
      assert.equal(progress?.isMilestone ?? false, isMilestone)
    }
  })
}
