import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acceptedFormat } from './accepted-format.ts'

/** Accept headers of real readers, and what each of them can read. */
const HEADERS: readonly (readonly [header: string | undefined, format: 'openmetrics' | 'prometheus', why: string])[] = [
  [
    'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
    'openmetrics',
    'Prometheus 2.42',
  ],
  [
    'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.7,text/plain;version=0.0.4;q=0.3',
    'prometheus',
    'Prometheus before 2.5',
  ],
  [undefined, 'prometheus', 'a client without the header'],
  ['*/*', 'prometheus', 'curl'],
  ['text/html,application/xhtml+xml,*/*;q=0.8', 'prometheus', 'a browser'],
  ['application/openmetrics-text;version=0.0.1', 'prometheus', 'only an older version of OpenMetrics'],
  ['application/openmetrics-text;q=0.2, text/plain', 'prometheus', 'text preferred'],
  ['application/openmetrics-text;q=0, text/plain;q=0.1', 'prometheus', 'OpenMetrics excluded'],
  ['APPLICATION/OpenMetrics-Text ; Version=1.0.0 ; Q=1', 'openmetrics', 'case and spaces have no meaning'],
  [`${'a/b,'.repeat(100_000)}application/openmetrics-text`, 'prometheus', 'a header of any length'],
]

for (const [header, format, why] of HEADERS) {
  test(`${why}: ${format}`, () => assert.equal(acceptedFormat(header), format))
}
