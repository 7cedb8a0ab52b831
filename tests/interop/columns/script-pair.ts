import { type Database, kafkaClient, type Service, startConnect, startService } from '@tributary/testkit'
import { compareRecordings, type Difference } from '../../conformance/compare-recordings.ts'
import { databaseFilter } from '../../conformance/conformance.ts'
import type { GoldenScript } from '../../conformance/golden-script.ts'
import { topicKind } from '../../conformance/record-view.ts'
import type { Recording } from '../../conformance/recording.ts'
import { runScript } from '../../conformance/script-run.ts'

export interface ScriptPairOptions {
  readonly script: GoldenScript
  /** Run in turn on both. */
  readonly variants: readonly string[]
  readonly database: Database
  readonly bootstrapServers: readonly string[]
}

/** The recordings of both sides, and the differences of the records of tables. */
export interface ScriptPair {
  readonly connect: Recording
  readonly tributary: Recording
  readonly differences: readonly Difference[]
}

/**
 * Runs a script with Kafka Connect and Debezium, then with Tributary in the same record format, and compares the
 * records of all tables, by variant.
 */
export async function runScriptPair(options: ScriptPairOptions): Promise<ReadonlyMap<string, ScriptPair>> {
  const { script, variants, bootstrapServers } = options
  const connect = await runSide(options, await startConnect({ bootstrapServers }))
  const tributary = await runSide(options, await startService({ bootstrapServers }))
  return new Map(
    variants.map((variant) => {
      const pair = { connect: recordingOf(connect, variant), tributary: recordingOf(tributary, variant) }
      const differences = compareRecordings(pair.connect, pair.tributary, {
        includesDatabase: databaseFilter(script.config),
        skipsTopic: (topic) => topicKind(topic) !== 'data',
        isSameFormat: true,
      })
      // The stored offsets are compared elsewhere: each side ends at another transaction.
      return [variant, { ...pair, differences: differences.filter(({ kind }) => kind !== 'offset') }]
    }),
  )
}

async function runSide(
  { script, variants, database, bootstrapServers }: ScriptPairOptions,
  started: Service,
): Promise<ReadonlyMap<string, Recording>> {
  await using service = started
  const { recordings } = await runScript({
    script,
    variants,
    database,
    service,
    kafka: await kafkaClient(bootstrapServers),
    bootstrapServers,
    skipsStatement: () => false,
    unset: [],
    selectsRows: false,
    more: { 'source.struct.version': 'v2' },
  })
  return recordings
}

function recordingOf(recordings: ReadonlyMap<string, Recording>, variant: string): Recording {
  const recording = recordings.get(variant)
  if (recording === undefined) throw new Error(`there is no recording of ${variant}`)
  return recording
}
