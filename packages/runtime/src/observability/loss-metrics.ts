import type { TimeToLoss } from '@tributary/rest-api'
import { readFamilies, type MetricFamily, type MetricReading, type MetricRow } from '@tributary/support'
import type { MetricsSource } from './metrics-registry.ts'

type LossByConnector = ReadonlyMap<string, TimeToLoss>

/** A gauge of each connector that has a value. */
function row(
  name: string,
  unit: string,
  help: string,
  read: (loss: TimeToLoss) => number | null,
): MetricRow<LossByConnector> {
  return { name, type: 'gauge', unit, help, labels: ['connector'], bean: null, read: (all) => readings(all, read) }
}

function readings(all: LossByConnector, read: (loss: TimeToLoss) => number | null): MetricReading {
  return [...all].flatMap(([connector, loss]) => {
    const value = read(loss)
    return value === null ? [] : [{ labels: { connector }, value }]
  })
}

/** How long the database keeps the binlog that each connector needs, whatever the state of its task. */
export const lossMetrics: readonly MetricRow<LossByConnector>[] = [
  row(
    'tributary_time_to_loss_seconds',
    'seconds',
    'Until the earliest moment at which the server purges binlog that the connector still needs; 0: it can happen now, or has happened. Absent: never, or unknown.',
    ({ seconds }) => seconds,
  ),
  row(
    'tributary_time_to_loss_running_out',
    '',
    '1: tributary_time_to_loss_seconds runs out. 0: the connector has read all complete files, so that it starts anew with each measurement; or there is no such time, or the binlog is lost.',
    ({ running_out: isRunningOut }) => (isRunningOut ? 1 : 0),
  ),
  row(
    'tributary_time_to_loss_expected_seconds',
    'seconds',
    'Until the probable moment of that purge, at the present growth of the binlog. Absent: unknown.',
    ({ expected_seconds: seconds }) => seconds,
  ),
  row(
    'tributary_time_to_loss_bytes',
    'bytes',
    'Bytes that the server can still write until that purge. Absent: no limit in size, or unknown.',
    ({ bytes }) => bytes,
  ),
  row(
    'tributary_time_to_loss_backlog_bytes',
    'bytes',
    'Bytes of the binlog after the stored position of the connector.',
    ({ backlog_bytes: bytes }) => bytes,
  ),
  row('tributary_binlog_lost', '', '1: the server has purged binlog that the connector needs.', ({ status }) =>
    status === 'lost' ? 1 : 0,
  ),
  row(
    'tributary_time_to_loss_age_seconds',
    'seconds',
    'Since the last successful measurement. Much more than its interval: the database cannot be reached.',
    ({ age_seconds: seconds }) => seconds,
  ),
]

/** The metrics of a `LossWatch`. */
export class LossMetrics implements MetricsSource {
  readonly #watch: { readAll(): LossByConnector }

  constructor(watch: { readAll(): LossByConnector }) {
    this.#watch = watch
  }

  families(): readonly MetricFamily[] {
    return readFamilies(lossMetrics, this.#watch.readAll(), {})
  }
}
