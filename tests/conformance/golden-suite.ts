import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Kafka } from '@tributary/kafka'
import {
  type Database,
  kafkaClient,
  type Service,
  type StartMariaDbOptions,
  startService,
  useKafka,
} from '@tributary/testkit'
import { formatDifferences } from './compare-recordings.ts'
import { type CaseResult, compareCase, type GoldenCase, loadScript } from './conformance.ts'
import { deliberateDifferences } from './deliberate-differences.ts'
import { deliberateDifferencesV2 } from './deliberate-differences-v2.ts'
import { explain } from './difference-rules.ts'

/** The recordings were made on a server with the default charset of MariaDB 10.11. */
export const RECORDED_MARIADB: StartMariaDbOptions = {
  args: ['--character-set-server=latin1', '--collation-server=latin1_swedish_ci'],
}

/** How to get the servers. The suite disposes of them at the end. */
export interface GoldenServers {
  readonly mysql: () => Promise<Database | (Database & AsyncDisposable)>
  readonly mariadb: () => Promise<Database | (Database & AsyncDisposable)>
}

/**
 * Declares a test for each case. They share one service and one server of each kind and use databases of their own: in
 * a block with `concurrency` they run in parallel.
 */
export function testCases(cases: readonly GoldenCase[], servers: GoldenServers): void {
  const resources = new AsyncDisposableStack()
  let service: Service
  let kafka: Kafka
  let bootstrapServers: readonly string[] = []
  const databases: Partial<Record<'mysql' | 'mariadb', Promise<Database>>> = {}
  const open = async (flavor: 'mysql' | 'mariadb'): Promise<Database> => {
    const database = await servers[flavor]()
    return Symbol.asyncDispose in database ? resources.use(database) : database
  }

  before(async () => {
    ;({ bootstrapServers } = await useKafka())
    kafka = await kafkaClient(bootstrapServers)
    service = resources.use(await startService({ bootstrapServers }))
  })
  after(() => resources.disposeAsync())

  for (const golden of cases) {
    test(golden.format === undefined ? golden.name : `${golden.name} in the format ${golden.format}`, async () => {
      const script = loadScript(golden.name)
      const database = await (databases[script.server] ??= open(script.server))
      const compared = await compareCase(golden, script, { service, kafka, bootstrapServers, database })
      const faults = [...compared].flatMap(([recording, result]) => faultsOf(golden, recording, result))
      assert.ok(faults.length === 0, faults.join('\n\n'))
    })
  }
}

function faultsOf({ format }: GoldenCase, recording: string, { differences, fromSelect }: CaseResult): string[] {
  const deliberate = format === 'v2' ? [...deliberateDifferences, ...deliberateDifferencesV2] : deliberateDifferences
  const { unexplained, unused } = explain(recording, differences, deliberate)
  return [
    ...(unexplained.length === 0 ? [] : [`${recording}:\n${formatDifferences(unexplained)}`]),
    ...unused.map((rule) => `${recording}: a rule for a deliberate difference matched nothing: ${rule}`),
    ...fromSelect.map((difference) => `${recording}: ${difference}`),
  ]
}
