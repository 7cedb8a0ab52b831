import type {
  Converter,
  PollResult,
  SourceRecord,
  SourceTask,
  SourceTaskContext,
  TransformationStage,
} from '@tributary/connect-api'
import { defineErrors, doneOr, LiveMeter, type ErrorRegistry } from '@tributary/support'
import { captureLogger, fakeClock, type CaptureLogger, type FakeClock } from '@tributary/testkit'
import type { TransactionBoundary } from '../../config/exactly-once.ts'
import type { NamedStage } from '../../plugins/named-stage.ts'
import type { TextRecord } from '../../storage/topic-writer.ts'
import { MemoryAdmin } from '../../testing/memory-admin.ts'
import { MemoryProducer } from '../../testing/memory-producer.ts'
import { MemoryTransactionalProducer } from '../../testing/memory-transactional-producer.ts'
import { CompatibilityChecks } from '../admission/compatibility-checks.ts'
import { OpenTopics } from '../admission/open-topics.ts'
import { RecordGate } from '../admission/record-gate.ts'
import { SchemaRegistrar } from '../admission/schema-registrar.ts'
import { TopicOpener } from '../admission/topic-opener.ts'
import { AtLeastOnceDelivery } from '../delivery/at-least-once-delivery.ts'
import type { Delivery } from '../delivery/delivery.ts'
import { ExactlyOnceDelivery } from '../delivery/exactly-once-delivery.ts'
import type { Lease } from '../../lease/lease.ts'
import { heldLease } from '../../lease/testing/held-lease.ts'
import type { ErrorPolicy } from '../tolerance/error-policy.ts'
import { testRecordErrors } from './test-record-errors.ts'
import { RecordEncoder } from '../record-encoder.ts'
import { TransformationChain } from '../transformation-chain.ts'
import { LargeRecords } from '../tolerance/large-records.ts'
import { WorkerSourceTask, type WorkerSourceTaskOptions } from '../worker-source-task.ts'
import { offsetAt, PARTITION, recordAt } from './test-record.ts'
import { TextConverter, textHeaders } from './text-converter.ts'

const definitions = {
  DOWN: { message: 'the server is down', action: '', retriable: true },
  DENIED: { message: 'no permission', action: '', recoverable: true },
  INCOMPATIBLE: { message: 'the schema is incompatible', action: '' },
} as const
export const testErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)
export const FLUSH_TIMEOUT_MS: number = 5_000

/** A source that returns the polls of the test, one by one, and then waits until it is stopped. */
export class ScriptedTask implements SourceTask {
  readonly calls: string[] = []
  readonly #polls: (PollResult | Error)[]
  /** Resolves when all polls were returned. */
  readonly exhausted: PromiseWithResolvers<void> = Promise.withResolvers()
  startError: Error | null = null
  stopError: Error | null = null
  leavesOutAtStart = false

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
  /** The calls of the thread's memory. */
  readonly work: readonly string[]
  readonly started: string[]
  readonly stop: AbortController
  /** It is held. */
  readonly lease: Lease
  readonly meter: LiveMeter
  readonly gate: RecordGate
  /** Starts the worker task. */
  readonly run: () => Promise<void>
  /** The values that were sent. */
  readonly values: () => readonly (string | null)[]
}

function recordedMemory(work: string[]): WorkerSourceTaskOptions['memory'] {
  return {
    start: () => void work.push('start'),
    onWork: () => void work.push('work'),
    onIdle: () => void work.push('idle'),
  }
}

export function fixture(
  polls: readonly (PollResult | Error)[],
  stages: readonly TransformationStage[] = [],
  valueConverter: Converter = new TextConverter(),
  policy: Partial<ErrorPolicy> = {},
): Fixture {
  const task = new ScriptedTask(polls)
  const producer = new MemoryProducer((tokens) => delivery.onDelivered(tokens))
  const surroundings = surroundingsOf(task)
  const stored: TextRecord[] = []
  const delivery = new AtLeastOnceDelivery({
    ...surroundings,
    producer,
    offsetLog: {
      write: (records) => {
        stored.push(...records)
        return Promise.resolve()
      },
    },
    recordsBetweenCommits: 1_000,
    intervalMs: 60_000,
    timeoutMs: FLUSH_TIMEOUT_MS,
  })
  return {
    ...assemble({ ...surroundings, task, producer, delivery, stages, valueConverter, policy }),
    producer,
    stored,
  }
}

export interface ExactlyOnceFixture extends Omit<Fixture, 'producer' | 'stored'> {
  readonly producer: MemoryTransactionalProducer
}

/** Each offset is in the topic `offsets`. */
export function exactlyOnceFixture(
  polls: readonly (PollResult | Error)[],
  boundary: TransactionBoundary,
  policy: Partial<ErrorPolicy> = {},
): ExactlyOnceFixture {
  const task = new ScriptedTask(polls)
  const producer = new MemoryTransactionalProducer()
  const surroundings = surroundingsOf(task)
  const delivery = new ExactlyOnceDelivery({
    ...surroundings,
    producer,
    offsets: producer.knownTopic('offsets'),
    copyOffsets: null,
    boundary,
    intervalMs: 60_000,
    timeoutMs: FLUSH_TIMEOUT_MS,
  })
  const valueConverter = new TextConverter()
  return { ...assemble({ ...surroundings, task, producer, delivery, stages: [], valueConverter, policy }), producer }
}

interface Surroundings {
  readonly connectorName: string
  readonly onCommitting: () => void
  readonly onCommitted: () => Promise<void>
  readonly clock: FakeClock
  readonly logger: CaptureLogger
  readonly meter: LiveMeter
}

function surroundingsOf(task: ScriptedTask): Surroundings {
  return {
    connectorName: 'c',
    onCommitting: () => undefined,
    onCommitted: () => task.commit(),
    clock: fakeClock(),
    logger: captureLogger(),
    meter: new LiveMeter(),
  }
}

interface Parts extends Surroundings {
  readonly task: ScriptedTask
  readonly producer: MemoryProducer
  readonly delivery: Delivery
  readonly stages: readonly TransformationStage[]
  readonly valueConverter: Converter
  readonly policy: Partial<ErrorPolicy>
}

function assemble(parts: Parts): Omit<Fixture, 'producer' | 'stored'> {
  const { task, producer, delivery, stages, valueConverter, policy, clock, logger, meter } = parts
  const [stop, lease] = [new AbortController(), heldLease()]
  const [started, work]: [string[], string[]] = [[], []]
  const converters = { keyConverter: new TextConverter(), valueConverter }
  const errors = testRecordErrors({ policy, clock, logger, meter })
  const gate = new RecordGate({
    openTopics: new OpenTopics(converters),
    opener: testOpener(producer, logger),
    registrar: new SchemaRegistrar({ converters, producer, errors, clock, logger }),
    checks: new CompatibilityChecks({ converters, clock, logger }),
  })
  const workerTask = new WorkerSourceTask({
    task,
    // The scripted task does not use it.
    context: {} as SourceTaskContext,
    chain: new TransformationChain(stages.map(named), errors),
    gate,
    encoder: new RecordEncoder(textHeaders),
    delivery,
    errors,
    large: new LargeRecords({ policy: errors.policy, config: {}, logger, meter }),
    lease,
    memory: recordedMemory(work),
    onStarted: () => started.push('started'),
    clock,
    logger,
    meter,
  })
  return {
    task,
    clock,
    logger,
    started,
    work,
    stop,
    lease,
    meter,
    gate,
    run: () => workerTask.run(stop.signal),
    values: () => producer.sent.map(({ value }) => value),
  }
}

function named(stage: TransformationStage): NamedStage {
  return { className: 'org.example.Stage', stage }
}

function testOpener(producer: MemoryProducer, logger: CaptureLogger): TopicOpener {
  const codecs = { codecFor: () => Promise.resolve(undefined) }
  return new TopicOpener({
    producer,
    admin: new MemoryAdmin(),
    creation: null,
    codecs,
    onOpened: () => undefined,
    logger,
  })
}
