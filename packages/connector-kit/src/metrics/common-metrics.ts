import type { MetricRow } from '@tributary/support'
import { debeziumRow, since, type MetricSource } from './metric-source.ts'

type CommonContext = 'snapshot' | 'streaming'

/** The attributes that the beans of snapshot and stream have in common. */
export function commonMetrics(context: CommonContext): readonly MetricRow<MetricSource>[] {
  const row = debeziumRow(context)
  const isStream = context === 'streaming'
  return [
    row('TotalNumberOfEventsSeen', 'Events of captured tables.', ({ numbers }) => {
      const { r, c, u, d, t } = numbers.events.total
      return isStream ? c + u + d + t : r
    }),
    row('MilliSecondsSinceLastEvent', 'Time since the last event; -1 before the first.', ({ numbers, nowMs }) =>
      since(
        isStream
          ? numbers.streaming.lastEventMs
          : numbers.shownSnapshot.startMs === null
            ? null
            : (numbers.shownSnapshot.endMs ?? nowMs),
        nowMs,
      ),
    ),
    row('NumberOfEventsFiltered', 'Events of tables that are not captured.', ({ numbers }) =>
      isStream ? numbers.streaming.filteredEvents : 0,
    ),
    row('NumberOfErroneousEvents', 'Events that could not be handled.', ({ numbers }) =>
      isStream ? numbers.streaming.erroneousEvents : 0,
    ),
    row(
      'QueueTotalCapacity',
      'max.queue.size. There is no such queue here: the records in flight take its place.',
      (s) => s.queueSize,
    ),
    row(
      'QueueRemainingCapacity',
      'What of QueueTotalCapacity is free, as the same part of it as is free of the limit in bytes.',
      ({ queue, queueSize }) =>
        queue === null ? null : Math.round(queueSize * Math.max(0, 1 - queue.bytes / queue.bytesMax)),
    ),
    row(
      'MaxQueueSizeInBytes',
      'Limit of the bytes of records in flight (buffer.memory of the producer).',
      ({ queue }) => queue?.bytesMax ?? null,
    ),
    row('CurrentQueueSizeInBytes', 'Bytes of records in flight.', ({ queue }) => queue?.bytes ?? null),
  ]
}
