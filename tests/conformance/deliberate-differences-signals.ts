import { DDL, type DeliberateDifference, record, topicOf, value } from './difference-rules.ts'

const MARK = /^"[\da-f-]{36}-(open|close)"$/
const TIMES = /^"\{\\"openWindowTimestamp\\": ?/

/** Snapshots that signals ask for. */
export const SIGNALS: readonly DeliberateDifference[] = [
  {
    reason: 'marks of windows have random ids and the current time',
    recordings: /^25_incremental_snapshot/,
    rules: [
      value('g_inc.dbz_signal', 'id', [MARK, MARK]),
      value('g_inc.dbz_signal', 'data', [TIMES, TIMES]),
      { kind: 'payload', topic: topicOf('g_inc.dbz_signal'), path: /^key\.id$/, texts: [MARK, MARK] },
    ],
  },
  {
    reason:
      'a blocking snapshot does not record the structure of its tables again, which is known and has been checked',
    recordings: /^25_incremental_snapshot/,
    rules: [record('missing', DDL, /^(DROP TABLE IF EXISTS `g_inc`\.`s`|CREATE TABLE `s` )/)],
  },
]
