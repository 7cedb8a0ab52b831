import type { Producer } from '@tributary/kafka'
import { readFamilies, type Clock, type LiveMeter, type MetricFamily } from '@tributary/support'
import type { Delivery } from '../delivery/delivery.ts'
import { taskMeters } from '../task-meters.ts'
import type { RecordErrors } from '../tolerance/record-errors.ts'
import { connectTaskMetrics } from './connect-task-metrics.ts'
import { ownTaskMetrics } from './own-task-metrics.ts'
import { producerMetrics } from './producer-metrics.ts'
import type { TaskNumbers } from './task-numbers.ts'
import type { ThreadMeter } from './thread-meter.ts'

/** The metrics of a task that are the same for every connector. */
export function taskFamilies(numbers: TaskNumbers, connector: string, taskNumber: number): readonly MetricFamily[] {
  const task = { connector, task: String(taskNumber) }
  const clientId = `connector-producer-${connector}-${taskNumber}`
  return [
    ...readFamilies(connectTaskMetrics, numbers, task),
    ...readFamilies(producerMetrics, numbers, { clientid: clientId, client_id: clientId }),
    ...readFamilies(ownTaskMetrics, numbers, task),
  ]
}

/** The parts of a task that have numbers. */
export interface MeasuredTask {
  readonly connectorName: string
  readonly taskNumber: number
  readonly meter: LiveMeter
  readonly clock: Clock
  readonly producer: Pick<Producer, 'stats' | 'bufferedBytes' | 'bufferBytesMax'>
  readonly delivery: Pick<Delivery, 'pending'>
  readonly errors: Pick<RecordErrors, 'counters' | 'lastErrorMs'>
  readonly thread: ThreadMeter
}

/** From now on snapshots of the meter contain the metrics of the task. */
export function measureTask(task: MeasuredTask): void {
  const { meter, clock, producer, delivery, errors, thread, connectorName, taskNumber } = task
  const meters = taskMeters(meter)
  meter.families(() => {
    const numbers: TaskNumbers = {
      nowMs: clock.now(),
      meters,
      errors: errors.counters,
      lastErrorMs: errors.lastErrorMs,
      producer: producer.stats,
      inFlight: delivery.pending,
      lagMs: meter.gaugeValue('lag.ms'),
      queue: { bytes: producer.bufferedBytes, bytesMax: producer.bufferBytesMax },
      thread: thread.read(),
    }
    return taskFamilies(numbers, connectorName, taskNumber)
  })
}
