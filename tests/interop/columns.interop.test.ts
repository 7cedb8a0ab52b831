/**
 * Converters, masks and source types of columns beside Debezium: the same script on both sides, all records of all
 * tables compared.
 *
 *     npm run interop -- columns
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { useKafka, useMySql } from '@tributary/testkit'
import { formatDifferences } from '../conformance/compare-recordings.ts'
import { explain } from '../conformance/difference-rules.ts'
import { parseGoldenScript } from '../conformance/golden-script.ts'
import { converterDifferences } from './columns/converter-differences.ts'
import { runScriptPair } from './columns/script-pair.ts'

const script = parseGoldenScript(readFileSync(new URL('columns/converters.sql', import.meta.url), 'utf8'))

test('columns under converters and masks equal those of Debezium, except for deliberate differences', async (t) => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  const variants = Object.keys(script.variants)

  const pairs = await runScriptPair({ script, variants, database, bootstrapServers })

  let records = 0
  const faults: string[] = []
  for (const [variant, { connect, tributary, differences }] of pairs) {
    assert.deepEqual([connect.state, tributary.state], ['RUNNING', 'RUNNING'], variant)
    records += [...connect.topics.values()].reduce((count, topic) => count + topic.length, 0)
    const { unexplained, unused } = explain(variant, differences, converterDifferences)
    if (unexplained.length > 0) faults.push(`${variant}:\n${formatDifferences(unexplained)}`)
    faults.push(...unused.map((rule) => `${variant}: a rule for a deliberate difference matched nothing: ${rule}`))
  }
  t.diagnostic(`${pairs.size} variants, ${records} records`)
  assert.equal(faults.join('\n\n'), '')
})
