import type { ConfigMap, OffsetDocument, SourcePartition, SourceRecord, SourceTask } from '@tributary/connect-api'
import type { RecordHeader } from '@tributary/kafka'
import { BackOff, type Clock, LiveMeter, type Logger, nextTurn, toError } from '@tributary/support'
import { parseWorkerConfig, type WorkerConfig } from '../config/worker-config.ts'
import { createStages } from '../plugins/create-stages.ts'
import type { Plugins } from '../plugins/plugins.ts'
import { taskId } from '../storage/task-id.ts'
import { failureKind } from '../task/task-failure.ts'
import { createConverters, createTask, createTaskContext, loadedPlugins, stageClasses } from '../task/task-plugins.ts'
import { errorPolicy } from '../task/tolerance/error-policy.ts'
import { RecordErrors } from '../task/tolerance/record-errors.ts'
import { TransformationChain } from '../task/transformation-chain.ts'
import { ShadowEncoder } from './shadow-encoder.ts'

/** A record as it would have been sent. */
export interface ShadowRecord {
  readonly topic: string
  /** Null: the producer would choose it by the key. */
  readonly partition: number | null
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: readonly RecordHeader[]
  /** Time of the change by the source's clock, in milliseconds since 1970; null: unknown. */
  readonly changedAtMs: number | null
}

export interface ShadowOptions {
  readonly connectorName: string
  readonly plugins: Plugins
  /** With the values of references. Converters that need a registry are replaced by the caller. */
  readonly taskConfig: ConfigMap
  readonly workerProperties: ConfigMap
  readonly stored: { readonly partition: SourcePartition; readonly offset: OffsetDocument }
  /** Called for each record in order. The source is polled again when all of a poll have been taken. */
  readonly onRecord: (record: ShadowRecord) => void
  /** Called after each poll, also one without records. */
  readonly onPolled: () => Promise<void>
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Runs the task of a connector from a stored offset, and hands over the bytes of its records. There is no producer: the
 * records go nowhere else, whatever topic a transformation names. Nothing is stored, created or registered.
 *
 * Resolves when the signal has fired; rejects with the error that ends the task. Retriable errors of the source are
 * repeated as in a task.
 */
export async function runShadow(options: ShadowOptions, signal: AbortSignal): Promise<ShadowSummary> {
  const { taskConfig, workerProperties, logger, clock } = options
  const config = parseWorkerConfig(workerProperties)
  const plugins = await loadedPlugins(options.plugins, config, taskConfig)
  const task = await createTask(plugins, taskConfig)
  const errors = recordErrors(options, plugins, config)
  using chain = new TransformationChain(createStages(plugins, taskConfig, { logger }), errors)
  const encoder = new ShadowEncoder(createConverters(plugins, config, taskConfig))
  const context = { ...shadowContext(options), isRehearsal: true }
  const shadow: Shadow = { task, chain, encoder, errors, options, clock, logger, isPollFailing: false }
  try {
    await task.start(context, signal)
    await loop(shadow, signal)
  } catch (error) {
    if (failureKind(error, signal) !== 'stop') throw error
  } finally {
    await task.stop()
  }
  return { skipped: errors.counters.skipped.value, isPollFailing: shadow.isPollFailing }
}

/** What happened besides the records. */
export interface ShadowSummary {
  /** Records that failed, and were skipped because of errors.tolerance=all. */
  readonly skipped: number
  /** The source could not be read when the run ended. */
  readonly isPollFailing: boolean
}

interface Shadow {
  readonly task: SourceTask
  readonly chain: TransformationChain
  readonly encoder: ShadowEncoder
  readonly errors: RecordErrors
  readonly options: ShadowOptions
  readonly clock: Clock
  readonly logger: Logger
  /** The last poll failed. */
  isPollFailing: boolean
}

async function loop(shadow: Shadow, signal: AbortSignal): Promise<void> {
  const pauses = new BackOff({ initialMs: 300, maxMs: 5_000 })
  while (!signal.aborted) {
    try {
      const { records } = await shadow.task.poll(signal)
      pauses.reset()
      shadow.isPollFailing = false
      handOver(shadow, records)
    } catch (error) {
      if (failureKind(error, signal) !== 'retry') throw error
      shadow.isPollFailing = true
      const pauseMs = pauses.next()
      shadow.logger.warn(`The source could not be polled; trying again in ${pauseMs} ms`, { error: toError(error) })
      await shadow.clock.sleep(pauseMs, signal)
    }
    await shadow.options.onPolled()
    await nextTurn()
  }
}

function handOver({ chain, encoder, errors, options }: Shadow, polled: readonly SourceRecord[]): void {
  const { records, failure } = chain.apply(polled)
  for (const [i, record] of records.entries()) {
    if (record === null) continue
    try {
      const { topic, partition, sourceOffset } = record
      const { changedAtMs = null } = sourceOffset
      options.onRecord({ topic, partition, changedAtMs, ...encoder.encode(record) })
    } catch (error) {
      const original = polled[i]
      if (original === undefined || !errors.tolerates(error, original)) throw error
    }
  }
  if (failure !== null) throw failure
}

function shadowContext({ connectorName, taskConfig, workerProperties, stored, logger }: ShadowOptions) {
  const data = {
    connectorName,
    taskNumber: 0,
    taskConfig,
    workerProperties,
    storedOffsets: [stored],
    lease: new SharedArrayBuffer(0),
  }
  const mayWrite = (): boolean => false
  return createTaskContext(data, {
    taskConfig,
    workerProperties,
    mayWrite,
    logger,
    meter: new LiveMeter(),
    queue: undefined,
  })
}

function recordErrors(options: ShadowOptions, plugins: Plugins, config: WorkerConfig): RecordErrors {
  const { taskConfig, connectorName, clock, logger } = options
  return new RecordErrors({
    policy: errorPolicy(taskConfig),
    taskId: taskId(connectorName, 0),
    classes: stageClasses(plugins, config, taskConfig),
    clock,
    logger,
    meter: new LiveMeter(),
  })
}
