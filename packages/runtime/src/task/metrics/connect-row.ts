import type { MetricReading, MetricRow } from '@tributary/support'
import { jmxNames } from './connect-names.ts'

/** Makes the rows of a bean of Kafka Connect. A total that only grows has the type counter, others are gauges. */
export function beanRows<S>(
  domain: 'connect' | 'producer',
  type: string,
  labels: readonly string[],
): (attribute: string, help: string, read: (source: S) => MetricReading) => MetricRow<S> {
  return (attribute, help, read) => ({
    ...jmxNames(domain, type, attribute),
    type: attribute.endsWith('-total') ? 'counter' : 'gauge',
    help,
    unit: unitOf(attribute),
    labels,
    read,
  })
}

/** As the attribute's own name has it. */
function unitOf(attribute: string): string {
  if (/(^|-)time-ms$|latency|queue-time/.test(attribute)) return 'milliseconds'
  if (/bytes?(-|$)/.test(attribute)) return 'bytes'
  return ''
}
