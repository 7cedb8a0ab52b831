import {
  readFamilies,
  type MetricDefinition,
  type MetricFamily,
  type MetricReading,
  type MetricRow,
} from '@tributary/support'
import { readdirSync } from 'node:fs'
import { delaySamples } from '../task/metrics/own-task-metrics.ts'
import { ThreadMeter } from '../task/metrics/thread-meter.ts'
import type { ThreadNumbers } from '../task/metrics/task-numbers.ts'
import type { MetricsSource } from './metrics-registry.ts'

interface ProcessNumbers {
  readonly thread: ThreadNumbers
  readonly cpuSeconds: number
  readonly residentBytes: number
  readonly startSeconds: number
  /** Null where the system does not report it. */
  readonly openFiles: number | null
}

type Read = (numbers: ProcessNumbers) => MetricReading

function row(
  type: MetricDefinition['type'],
  unit: string,
): (name: string, help: string, read: Read) => MetricRow<ProcessNumbers> {
  return (name, help, read) => ({ name, type, unit, help, read, labels: [], bean: null })
}

/** Metrics of the process: those that every exporter has, and the main thread, which answers REST. */
export const processMetrics: readonly MetricRow<ProcessNumbers>[] = [
  row('counter', 'seconds')(
    'process_cpu_seconds_total',
    'User and system CPU time of the worker, all threads together.',
    (n) => n.cpuSeconds,
  ),
  row('gauge', 'bytes')(
    'process_resident_memory_bytes',
    'Memory of the worker that is in RAM, all threads together.',
    (n) => n.residentBytes,
  ),
  row('gauge', 'seconds')(
    'process_start_time_seconds',
    'When the worker was started, in seconds since 1970.',
    (n) => n.startSeconds,
  ),
  row('gauge', '')('process_open_fds', 'Open file descriptors of the worker. Linux only.', (n) => n.openFiles),
  row('gauge', 'bytes')(
    'tributary_main_heap_used_bytes',
    'Bytes in use in the JavaScript heap of the main thread.',
    (n) => n.thread.heapUsedBytes,
  ),
  row('counter', 'seconds')(
    'tributary_main_event_loop_busy_seconds_total',
    'Time in which the event loop of the main thread was busy.',
    (n) => n.thread.busySeconds,
  ),
  {
    ...row('gauge', 'seconds')(
      'tributary_main_event_loop_delay_seconds',
      'By how much timers of the main thread were late since the last scrape; measured from the first scrape on.',
      (n) => delaySamples(n.thread.delay),
    ),
    labels: ['percentile'],
  },
]

/** The metrics of this process. */
export class ProcessMetrics implements MetricsSource, Disposable {
  readonly #thread = new ThreadMeter()

  families(): readonly MetricFamily[] {
    const { user, system } = process.cpuUsage()
    const numbers: ProcessNumbers = {
      thread: this.#thread.read(),
      cpuSeconds: (user + system) / 1e6,
      residentBytes: process.memoryUsage.rss(),
      startSeconds: Math.round(performance.timeOrigin) / 1_000,
      openFiles: openFiles(),
    }
    this.#thread.restartDelay()
    return readFamilies(processMetrics, numbers, {})
  }

  [Symbol.dispose](): void {
    this.#thread[Symbol.dispose]()
  }
}

function openFiles(): number | null {
  try {
    // The list is read through a descriptor of its own.
    return readdirSync('/proc/self/fd').length - 1
  } catch {
    return null
  }
}
