import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dumpRefusal } from './dump-refusal.ts'

/** Texts that MySQL 9.7 and MariaDB 10.11 sent in each situation; the last ones are from their sources. */
const table: readonly (readonly [reason: string, code: string])[] = [
  ['Could not find first log file name in binary log index file', 'BINLOG_UNAVAILABLE'],
  [
    "Cannot replicate because the source purged required binary logs. Replicate the missing transactions from elsewhere, or provision a new replica from backup. Consider increasing the source's binary log expiration period.",
    'BINLOG_UNAVAILABLE',
  ],
  ['Client requested source to start replication from position > file size', 'BINLOG_POSITION_INVALID'],
  ['Client requested source to start replication from position < 4', 'BINLOG_POSITION_INVALID'],
  [
    "Client requested master to start replication from impossible position; the first event 'binlog.000001' at 2591, the last event read from 'binlog.000001' at 4, the last byte read from 'binlog.000001' at 4.",
    'BINLOG_POSITION_INVALID',
  ],
  [
    "Replica has more GTIDs than the source has, using the source's SERVER_UUID. This may indicate that the the last binary log file was truncated or lost, e.g., after a power failure when sync_binlog != 1.",
    'BINLOG_GTID_AHEAD',
  ],
  [
    "Error: connecting slave requested to start from GTID 0-1-99999, which is not in the master's binlog",
    'BINLOG_GTID_AHEAD',
  ],
  [
    "Error: connecting slave requested to start from GTID 0-1-1, which is not in the master's binlog. Since the master's binlog contains GTIDs with higher sequence numbers, it probably means that the slave has diverged due to executing extra erroneous transactions",
    'BINLOG_GTID_DIVERGED',
  ],
  [
    'The replication sender thread cannot start in AUTO_POSITION mode: this server has GTID_MODE = OFF instead of ON.',
    'BINLOG_GTID_MODE',
  ],
  [
    "binlog truncated in the middle of event; consider out of disk space on source; the first event 'binlog.000001' at 1834",
    'BINLOG_DAMAGED',
  ],
  ["bogus data in log event; the first event 'binlog.000001' at 200", 'BINLOG_DAMAGED'],
  [
    'log event entry exceeded max_allowed_packet; Increase max_allowed_packet on source; the first event',
    'BINLOG_EVENT_TOO_LARGE',
  ],
  [
    'Could not find GTID state requested by slave in any binlog files. Probably the slave state is too old and required binlog files have been purged.',
    'BINLOG_UNAVAILABLE',
  ],
  ['something that no server has said yet', 'BINLOG_REFUSED'],
]

test('each reason for which a server refuses a dump has its own message', () => {
  for (const [reason, code] of table) {
    const error = dumpRefusal({ address: 'db:3306', position: 'binlog.000001:4', reason }, new Error(reason))
    assert.equal(error.code, code, reason)
    assert.ok(error.message.includes(reason.replace(/^Error: /, '').replace(/\.$/, '')), error.message)
  }
})
