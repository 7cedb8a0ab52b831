import type { MetricRow } from '@tributary/support'
import { debeziumRow, since, type MetricSource } from './metric-source.ts'

const row = debeziumRow('schema-history')

/** The bean of Debezium for the schema history. */
export const historyMetrics: readonly MetricRow<MetricSource>[] = [
  row(
    'RecoveryStartTime',
    'When the task began to read the schema history, in seconds since 1970; -1: it did not.',
    ({ numbers }) => {
      const { recoveryStartMs } = numbers.history
      return recoveryStartMs === null ? -1 : Math.floor(recoveryStartMs / 1_000)
    },
  ),
  row(
    'ChangesRecovered',
    'Records that were read from the schema history at the start.',
    ({ numbers }) => numbers.history.recovered,
  ),
  row(
    'ChangesApplied',
    'Records that were read from the schema history at the start or written to it since.',
    ({ numbers }) => numbers.history.recovered + numbers.history.applied,
  ),
  row(
    'MilliSecondsSinceLastRecoveredChange',
    'Time since a record was read from the schema history; -1: none was.',
    ({ numbers, nowMs }) => since(numbers.history.lastRecoveredMs, nowMs),
  ),
  row(
    'MilliSecondsSinceLastAppliedChange',
    'Time since a record was written to the schema history; -1: none was.',
    ({ numbers, nowMs }) => since(numbers.history.lastAppliedMs, nowMs),
  ),
]
