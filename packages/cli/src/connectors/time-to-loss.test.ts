import type { TimeToLoss } from '@tributary/rest-api'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noColours } from '../terminal/palette.ts'
import { renderTimeToLoss } from './time-to-loss.ts'

const KEPT: TimeToLoss = {
  status: 'ok',
  seconds: 90_061,
  running_out: true,
  expected_seconds: null,
  bytes: null,
  files: null,
  needed_file: 'binlog.000007',
  backlog_bytes: null,
  backlog_files: null,
  growth_bytes_per_second: 0,
  retention_seconds: null,
  retention: ['max_binlog_total_size=4000000000'],
  notes: [],
  problem: null,
  measured_at: null,
  age_seconds: null,
}

test('a limit in time is shown as a time, one in bytes of an idle server as bytes', () => {
  assert.match(renderTimeToLoss(KEPT, noColours), /: the server keeps binlog\.000007 for 1 d 1 h or longer\n/)
  const idle = renderTimeToLoss({ ...KEPT, seconds: null, running_out: false, bytes: 2_500_000_000 }, noColours)
  assert.match(idle, /: the server keeps binlog\.000007 until it has written 2\.5 GB more\n/)
})
