import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SourceRecord } from '@tributary/connect-api'
import { NotificationRecords } from '../events/notification-records.ts'
import type { ChangePosition, Poll, ProgressChange } from './change.ts'
import { NotificationStage } from './notification-stage.ts'

const position: ChangePosition = { toDocument: () => ({ at: 'change' }), isSamePlace: () => false }
const progress: ProgressChange = { tag: 'progress', position, isMilestone: false }

function stageWith(count: number): NotificationStage {
  const records = new NotificationRecords({ partition: { server: 's' }, topic: 'n' })
  const stage = new NotificationStage({ records })
  for (let i = 0; i < count; i++) {
    const parts = { aggregateType: 'Initial Snapshot', type: 'STARTED', data: new Map(), timestampMs: 0 } as const
    stage.add({ id: String(i), ...parts })
  }
  return stage
}

function pollWith(records: SourceRecord[]): Poll {
  return { records } as unknown as Poll
}

const atRecord = { sourceOffset: { toDocument: () => ({ at: 'record' }) } } as unknown as SourceRecord

test('a notification has the offset of the record before it, which may be later than that of its change', () => {
  const records = [atRecord]
  const stage = stageWith(2)
  stage.rows(null, pollWith(records))
  assert.deepEqual(
    records.map(({ sourceOffset }) => sourceOffset.toDocument()['at']),
    ['record', 'record', 'record'],
  )
  stage.progress(progress, pollWith(records))
  assert.equal(records.length, 3)
})

test('a notification waits for a record, or for progress', () => {
  const records: SourceRecord[] = []
  const stage = stageWith(1)
  stage.rows(null, pollWith(records))
  assert.equal(records.length, 0)
  stage.progress(progress, pollWith(records))
  assert.deepEqual(
    records.map(({ sourceOffset }) => sourceOffset.toDocument()['at']),
    ['change'],
  )
})
