import type { MetricRow } from '@tributary/support'
import { commonMetrics } from './common-metrics.ts'
import { debeziumRow, flag, type MetricSource } from './metric-source.ts'

const row = debeziumRow('streaming')

/** The bean of Debezium for the stream. */
export const streamingMetrics: readonly MetricRow<MetricSource>[] = [
  ...commonMetrics('streaming'),
  row('Connected', '1 while the connection to the binlog is open.', ({ numbers }) =>
    flag(numbers.streaming.isConnected),
  ),
  row(
    'MilliSecondsBehindSource',
    'Time from the last change to its poll, by the clocks of both machines; -1 before the first.',
    ({ numbers }) => numbers.streaming.behindMs.last ?? -1,
  ),
  row(
    'MilliSecondsBehindSourceMinValue',
    'The least value of MilliSecondsBehindSource.',
    ({ numbers }) => numbers.streaming.behindMs.min ?? -1,
  ),
  row(
    'MilliSecondsBehindSourceMaxValue',
    'The greatest value of MilliSecondsBehindSource.',
    ({ numbers }) => numbers.streaming.behindMs.max ?? -1,
  ),
  row(
    'MilliSecondsBehindSourceAverageValue',
    'The average of MilliSecondsBehindSource over all polls.',
    ({ numbers }) => numbers.streaming.behindMs.average ?? -1,
  ),
  row('TotalNumberOfCreateEventsSeen', 'Events of inserted rows.', ({ numbers }) => numbers.events.total.c),
  row('TotalNumberOfUpdateEventsSeen', 'Events of updated rows.', ({ numbers }) => numbers.events.total.u),
  row('TotalNumberOfDeleteEventsSeen', 'Events of deleted rows.', ({ numbers }) => numbers.events.total.d),
  row(
    'NumberOfCommittedTransactions',
    'Transactions whose commit was read.',
    ({ numbers }) => numbers.streaming.committedTransactions,
  ),
  row(
    'NumberOfRolledBackTransactions',
    'Transactions whose rollback was read.',
    ({ numbers }) => numbers.streaming.rolledBackTransactions,
  ),
  row('NumberOfNotWellFormedTransactions', 'Always 0: events are not held back until their transaction ends.', () => 0),
  row('NumberOfLargeTransactions', 'Always 0: events are not held back until their transaction ends.', () => 0),
  row(
    'NumberOfSkippedEvents',
    'Events that could not be handled and were left out, as event.processing.failure.handling.mode permits.',
    ({ numbers }) => numbers.streaming.skippedEvents,
  ),
  row(
    'NumberOfDisconnects',
    'Connections to the binlog that were lost.',
    ({ numbers }) => numbers.streaming.disconnects,
  ),
  row(
    'BinlogPosition',
    'Position in the binlog file that was read last.',
    ({ numbers }) => numbers.streaming.position?.().position ?? null,
  ),
  row('IsGtidModeEnabled', '1 when the position has GTIDs.', ({ numbers }) => {
    const position = numbers.streaming.position
    return position === null ? null : flag(position().hasGtids)
  }),
]
