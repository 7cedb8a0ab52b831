import type { ConfigMap, Plugin, SourcePlugin, SourceTaskContext } from '@tributary/connect-api'
import { createKafka, kafkaOptionsFromProperties, producerOptionsFromProperties } from '@tributary/kafka'
import { isRetriable, StoppedError, systemClock, toError, type Logger, type LogLevels } from '@tributary/support'
import { parentPort } from 'node:worker_threads'
import { clientProperties, converterOf } from '../config/client-properties.ts'
import { presentConfig } from '../config/providers/config-providers.ts'
import { loggerNamed } from '../config/logger-names.ts'
import { parseWorkerConfig, type WorkerConfig } from '../config/worker-config.ts'
import { workerDefaults } from '../config/worker-keys.ts'
import { runtimeErrors } from '../errors.ts'
import { Plugins } from '../plugins/plugins.ts'
import { partitionText } from '../storage/offset-record.ts'
import { taskId } from '../storage/task-id.ts'
import { TopicWriter } from '../storage/topic-writer.ts'
import { IdleMemory } from './idle-memory.ts'
import { OffsetCommitter } from './offset-committer.ts'
import { RecordSender, type RecordSenderOptions } from './record-sender.ts'
import { repeatLimit } from './repeat-limit.ts'
import { resolveTaskData, type ResolvedTaskData } from './resolved-task-data.ts'
import { SchemaPreviews } from './schema-previews.ts'
import { SubmittedRecords } from './submitted-records.ts'
import type { TaskCommand, TaskReport, TaskThreadData } from './task-messages.ts'
import { threadHeap } from './thread-heap.ts'
import { TopicOpener } from './topic-opener.ts'
import { formatTrace } from './trace.ts'
import { TransformationChain } from './transformation-chain.ts'
import { WorkerSourceTask } from './worker-source-task.ts'

/**
 * Runs the task that this thread is told of, until it is told to stop or fails. The entry file of the thread calls it
 * with the same plug-ins as the main thread has, and with the levels of its logger, which follow those of the main thread.
 */
export async function runTaskThread(pluginList: readonly Plugin[], logger: Logger, levels: LogLevels): Promise<void> {
  const stop = new AbortController()
  const plugins = new Plugins(pluginList)
  plugins.preload()
  const data = await new Promise<TaskThreadData>((resolve) => {
    parentPort?.on('message', (command: TaskCommand) => {
      if (command.tag === 'begin' || command.tag === 'log levels') levels.restore(command.logLevels)
      if (command.tag === 'begin') resolve(command.data)
      else if (command.tag === 'stop') stop.abort()
    })
  })
  const { connectorName, taskNumber } = data
  const resolved = resolveTaskData(data)
  const { mask } = resolved
  const taskLogger = mask.logger(logger)
  const threadLogger = taskLogger.child({ connectorName, connectorContext: 'task', ...loggerNamed('worker') })
  try {
    await runTask({ resolved, plugins, logger: taskLogger, threadLogger, signal: stop.signal })
    report({ tag: 'stopped' })
  } catch (error) {
    if (error instanceof StoppedError && stop.signal.aborted) {
      report({ tag: 'stopped' })
      return
    }
    threadLogger.error(
      `Task ${taskId(connectorName, taskNumber)} threw an uncaught and unrecoverable exception. Task is being killed and will not recover until manually restarted`,
      { error: toError(error) },
    )
    report({ tag: 'failed', trace: mask.text(formatTrace(error)), isRetriable: isRetriable(error) })
  } finally {
    parentPort?.close()
  }
}

function report(message: TaskReport): void {
  parentPort?.postMessage(message)
}

interface TaskSetting {
  readonly resolved: ResolvedTaskData
  readonly plugins: Plugins
  /** The task's: it adds a context of its own. */
  readonly logger: Logger
  /** Of what runs around the task. */
  readonly threadLogger: Logger
  readonly signal: AbortSignal
}

async function runTask({ resolved, plugins, logger, threadLogger, signal }: TaskSetting): Promise<void> {
  const { connectorName, taskNumber } = resolved.data
  const taskConfig = presentConfig(resolved.taskConfig)
  const config = parseWorkerConfig(presentConfig(resolved.workerProperties))
  const task = sourcePlugin(plugins, taskConfig['connector.class'] ?? '').createTask()
  const converters = convertersOf(plugins, config, taskConfig)
  const producerProperties = clientProperties('producer', config.properties, taskConfig)
  const kafka = createKafka({
    ...kafkaOptionsFromProperties(producerProperties),
    clientId: `connector-producer-${taskId(connectorName, taskNumber)}`,
    logger: threadLogger.child(loggerNamed('clients')),
    clock: systemClock,
  })
  const submitted = new SubmittedRecords()
  const onDelivered = (tokens: readonly number[]): void => {
    submitted.acknowledgeAll(tokens)
    committer.onAcknowledged()
  }
  const producerOptions = producerOptionsFromProperties(producerProperties)
  const { recordsBetweenCommits, sendWindow } = repeatLimit(config.offsetFlushMaxRecords)
  await using producer = await kafka.producer({ ...producerOptions, onDelivered, sendWindow }, signal)
  await using admin = kafka.admin()
  await using offsetWriter = new TopicWriter({ kafka, topic: config.offsetTopic.name })
  const committer = new OffsetCommitter({
    connectorName,
    submitted,
    log: offsetWriter,
    window: producer,
    onCommitted: async () => task.commit?.(),
    recordsBetweenCommits,
    intervalMs: config.offsetFlushIntervalMs,
    timeoutMs: config.offsetFlushTimeoutMs,
    clock: systemClock,
    logger: threadLogger,
  })
  const sender = new RecordSender(converters)
  const onOpened = (topic: string): void => report({ tag: 'topic', topic })
  const topics = new TopicOpener({ producer, admin, onOpened, logger: threadLogger })
  topics.prepare(signal)
  parentPort?.on('message', ({ tag }: TaskCommand) => {
    if (tag !== 'forget topics') return
    sender.forgetTopics()
    topics.forgetTopics()
  })
  using memory = new IdleMemory({ heap: threadHeap, clock: systemClock, logger: threadLogger })
  await new WorkerSourceTask({
    task,
    context: taskContext(resolved.data, { taskConfig, workerProperties: config.properties, logger }),
    chain: new TransformationChain([]),
    sender,
    previews: new SchemaPreviews({ converters, clock: systemClock, logger: threadLogger }),
    topics,
    producer,
    submitted,
    committer,
    memory,
    onStarted: () => report({ tag: 'started' }),
    flushTimeoutMs: config.offsetFlushTimeoutMs,
    clock: systemClock,
    logger: threadLogger,
  }).run(signal)
}

function sourcePlugin(plugins: Plugins, className: string): SourcePlugin {
  const plugin = plugins.source(className)
  if (plugin === null) throw runtimeErrors.CLASS_UNKNOWN({ className, kind: 'connector' })
  return plugin
}

function convertersOf(plugins: Plugins, config: WorkerConfig, taskConfig: ConfigMap): RecordSenderOptions {
  return {
    keyConverter: plugins.converter(converterOf('key.converter', config.keyConverter, taskConfig), true),
    valueConverter: plugins.converter(converterOf('value.converter', config.valueConverter, taskConfig), false),
    headerConverter: plugins.headerConverter(converterOf('header.converter', config.headerConverter, taskConfig)),
  }
}

interface TaskSurroundings {
  readonly taskConfig: ConfigMap
  readonly workerProperties: ConfigMap
  readonly logger: Logger
}

function taskContext(
  data: TaskThreadData,
  { taskConfig, workerProperties, logger }: TaskSurroundings,
): SourceTaskContext {
  const offsets = new Map(data.storedOffsets.map(({ partition, offset }) => [partitionText(partition), offset]))
  return {
    config: taskConfig,
    workerDefaults: workerDefaults(workerProperties),
    connectorName: data.connectorName,
    taskNumber: data.taskNumber,
    logger,
    clock: systemClock,
    storedOffset: (partition) => offsets.get(partitionText(partition)) ?? null,
  }
}
