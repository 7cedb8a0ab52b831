import type { Plugin, SourcePlugin, SourceTaskContext } from '@tributary/connect-api'
import { createKafka, kafkaOptionsFromProperties, producerOptionsFromProperties } from '@tributary/kafka'
import { systemClock, toError, type Logger } from '@tributary/support'
import { parentPort, workerData } from 'node:worker_threads'
import { clientProperties, converterOf } from '../config/client-properties.ts'
import { parseWorkerConfig, type WorkerConfig } from '../config/worker-config.ts'
import { runtimeErrors } from '../errors.ts'
import { Plugins } from '../plugins/plugins.ts'
import { partitionText } from '../storage/offset-record.ts'
import { OffsetCommitter } from './offset-committer.ts'
import { RecordSender } from './record-sender.ts'
import { SubmittedRecords } from './submitted-records.ts'
import type { TaskCommand, TaskReport, TaskThreadData } from './task-messages.ts'
import { TopicOpener } from './topic-opener.ts'
import { formatTrace } from './trace.ts'
import { TransformationChain } from './transformation-chain.ts'
import { WorkerSourceTask } from './worker-source-task.ts'

/**
 * Runs the task that this thread was started for, until it is told to stop or fails. The entry file of the thread calls it
 * with the same plug-ins as the main thread has.
 */
export async function runTaskThread(plugins: readonly Plugin[], logger: Logger): Promise<void> {
  const data = workerData as TaskThreadData
  const stop = new AbortController()
  parentPort?.on('message', (command: TaskCommand) => {
    if (command.tag === 'stop') stop.abort()
  })
  try {
    await runTask({ data, plugins: new Plugins(plugins), logger, report, signal: stop.signal })
    report({ tag: 'stopped' })
  } catch (error) {
    logger.error(
      `Task ${data.connectorName}-${data.taskNumber} threw an uncaught and unrecoverable exception. Task is being killed and will not recover until manually restarted`,
      { error: toError(error) },
    )
    report({ tag: 'failed', trace: formatTrace(error) })
  } finally {
    parentPort?.close()
  }
}

function report(message: TaskReport): void {
  parentPort?.postMessage(message)
}

interface TaskSetting {
  readonly data: TaskThreadData
  readonly plugins: Plugins
  readonly logger: Logger
  readonly report: (message: TaskReport) => void
  readonly signal: AbortSignal
}

async function runTask({ data, plugins, logger, report: tell, signal }: TaskSetting): Promise<void> {
  const { connectorName, taskNumber, taskConfig } = data
  const config = parseWorkerConfig(data.workerProperties)
  const kafka = createKafka(kafkaOptions(config, data, logger))
  const submitted = new SubmittedRecords()
  await using producer = await kafka.producer({
    ...producerOptionsFromProperties(clientProperties('producer', config.properties, taskConfig)),
    onDelivered: (tokens) => {
      for (const token of tokens) submitted.acknowledge(token)
    },
  })
  await using admin = kafka.admin()
  await using offsetProducer = await kafka.producer({ compression: 'none', onDelivered: () => undefined })
  const task = sourcePlugin(plugins, taskConfig['connector.class'] ?? '').createTask()
  const committer = new OffsetCommitter({
    connectorName,
    submitted,
    producer: offsetProducer,
    topic: await offsetProducer.topic(config.offsetTopic.name, { signal }),
    onCommitted: async () => task.commit?.(),
    intervalMs: config.offsetFlushIntervalMs,
    timeoutMs: config.offsetFlushTimeoutMs,
    clock: systemClock,
    logger,
  })
  const onOpened = (topic: string): void => tell({ tag: 'topic', topic })
  await new WorkerSourceTask({
    task,
    context: taskContext(data, logger),
    chain: new TransformationChain([]),
    sender: new RecordSender({
      producer,
      keyConverter: plugins.converter(converterOf('key.converter', config.keyConverter, taskConfig), true),
      valueConverter: plugins.converter(converterOf('value.converter', config.valueConverter, taskConfig), false),
      headerConverter: plugins.headerConverter(converterOf('header.converter', config.headerConverter, taskConfig)),
    }),
    topics: new TopicOpener({ producer, admin, onOpened, logger }),
    producer,
    submitted,
    committer,
    onStarted: () => tell({ tag: 'started' }),
    flushTimeoutMs: config.offsetFlushTimeoutMs,
    clock: systemClock,
    logger: logger.child({ connectorName, taskNumber }),
  }).run(signal)
}

function kafkaOptions(config: WorkerConfig, data: TaskThreadData, logger: Logger): Parameters<typeof createKafka>[0] {
  const properties = clientProperties('producer', config.properties, data.taskConfig)
  return {
    ...kafkaOptionsFromProperties(properties),
    clientId: `connector-producer-${data.connectorName}-${data.taskNumber}`,
    logger,
    clock: systemClock,
  }
}

function sourcePlugin(plugins: Plugins, className: string): SourcePlugin {
  const plugin = plugins.source(className)
  if (plugin === null) throw runtimeErrors.CLASS_UNKNOWN({ className, kind: 'connector' })
  return plugin
}

function taskContext(data: TaskThreadData, logger: Logger): SourceTaskContext {
  const offsets = new Map(data.storedOffsets.map(({ partition, offset }) => [partitionText(partition), offset]))
  return {
    config: data.taskConfig,
    connectorName: data.connectorName,
    taskNumber: data.taskNumber,
    logger,
    clock: systemClock,
    storedOffset: (partition) => offsets.get(partitionText(partition)) ?? null,
  }
}
