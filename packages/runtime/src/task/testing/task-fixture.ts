import type { Converter, PollResult, SourceRecord, SourceTask, SourceTaskContext } from '@tributary/connect-api'
import { defineErrors, doneOr, type ErrorRegistry } from '@tributary/support'
import { captureLogger, fakeClock, type CaptureLogger, type FakeClock } from '@tributary/testkit'
import type { TextRecord } from '../../storage/topic-writer.ts'
import { MemoryAdmin } from '../../testing/memory-admin.ts'
import { MemoryProducer } from '../../testing/memory-producer.ts'
import { OffsetCommitter } from '../offset-committer.ts'
import { RecordSender } from '../record-sender.ts'
import { SchemaPreviews } from '../schema-previews.ts'
import { SubmittedRecords } from '../submitted-records.ts'
import { TopicOpener } from '../topic-opener.ts'
import { TransformationChain, type TransformationStage } from '../transformation-chain.ts'
import { WorkerSourceTask } from '../worker-source-task.ts'
import { offsetAt, PARTITION, recordAt } from './test-record.ts'
import { TextConverter, textHeaders } from './text-converter.ts'

const definitions = {
  AWAY: { message: 'the source is away', action: '', retriable: true },
  INCOMPATIBLE: { message: 'the schema is incompatible', action: '' },
} as const
export const testErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)
export const FLUSH_TIMEOUT_MS: number = 5_000

/** A source that does what the test says, poll by poll, and then waits to be stopped. */
export class ScriptedTask implements SourceTask {
  readonly calls: string[] = []
  readonly #polls: (PollResult | Error)[]
  /** Resolves when everything in the script was polled. */
  readonly exhausted: PromiseWithResolvers<void> = Promise.withResolvers()
  startError: Error | null = null
  stopError: Error | null = null

  constructor(polls: readonly (PollResult | Error)[]) {
    this.#polls = [...polls]
  }

  start(): Promise<void> {
    this.calls.push('start')
    return this.startError === null ? Promise.resolve() : Promise.reject(this.startError)
  }

  poll(signal: AbortSignal): Promise<PollResult> {
    this.calls.push('poll')
    const next = this.#polls.shift()
    if (next instanceof Error) return Promise.reject(next)
    if (next !== undefined) return Promise.resolve(next)
    this.exhausted.resolve()
    return doneOr(new Promise<PollResult>(() => undefined), signal)
  }

  commit(): Promise<void> {
    this.calls.push('commit')
    return Promise.resolve()
  }

  stop(): Promise<void> {
    this.calls.push('stop')
    return this.stopError === null ? Promise.resolve() : Promise.reject(this.stopError)
  }
}

export function polled(records: readonly SourceRecord[], progressAt?: number): PollResult {
  const progress = progressAt === undefined ? null : { partition: PARTITION, offset: offsetAt(progressAt) }
  return { records, progress }
}

export function recordsAt(...positions: readonly number[]): PollResult {
  return polled(positions.map((pos) => recordAt(pos)))
}

export interface Fixture {
  readonly task: ScriptedTask
  readonly producer: MemoryProducer
  readonly clock: FakeClock
  readonly logger: CaptureLogger
  readonly stored: TextRecord[]
  /** What the memory of the thread was told of. */
  readonly work: readonly string[]
  readonly started: string[]
  readonly stop: AbortController
  /** Starts the worker task; gives what becomes of it. */
  readonly run: () => Promise<void>
  /** Values that the producer was given. */
  readonly values: () => readonly (string | null)[]
}

export function fixture(
  polls: readonly (PollResult | Error)[],
  stages: readonly TransformationStage[] = [],
  valueConverter: Converter = new TextConverter(),
): Fixture {
  const task = new ScriptedTask(polls)
  const submitted = new SubmittedRecords()
  const producer = new MemoryProducer((tokens) => {
    for (const token of tokens) submitted.acknowledge(token)
  })
  const [clock, logger, stop] = [fakeClock(), captureLogger(), new AbortController()]
  const [stored, started, work]: [TextRecord[], string[], string[]] = [[], [], []]
  const committer = new OffsetCommitter({
    connectorName: 'c',
    submitted,
    log: {
      write: (records) => {
        stored.push(...records)
        return Promise.resolve()
      },
    },
    window: producer,
    onCommitted: () => task.commit(),
    recordsBetweenCommits: 1_000,
    intervalMs: 60_000,
    timeoutMs: FLUSH_TIMEOUT_MS,
    clock,
    logger,
  })
  const keyConverter = new TextConverter()
  const workerTask = new WorkerSourceTask({
    task,
    // The scripted task looks at nothing in it.
    context: {} as SourceTaskContext,
    chain: new TransformationChain(stages),
    sender: new RecordSender({ keyConverter, valueConverter, headerConverter: textHeaders }),
    previews: new SchemaPreviews({ converters: { keyConverter, valueConverter }, clock, logger }),
    topics: new TopicOpener({ producer, admin: new MemoryAdmin(), onOpened: () => undefined, logger }),
    producer,
    submitted,
    committer,
    memory: {
      begin: () => void work.push('begin'),
      onWork: () => void work.push('work'),
      onIdle: () => void work.push('idle'),
    },
    onStarted: () => started.push('started'),
    flushTimeoutMs: FLUSH_TIMEOUT_MS,
    clock,
    logger,
  })
  return {
    task,
    producer,
    clock,
    logger,
    stored,
    started,
    work,
    stop,
    run: () => workerTask.run(stop.signal),
    values: () => producer.sent.map(({ value }) => value),
  }
}
