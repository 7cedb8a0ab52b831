import { createKafka, kafkaOptionsFromProperties, producerOptionsFromProperties } from '@tributary/kafka'
import { LiveMeter, systemClock, type Logger } from '@tributary/support'
import { clientProperties } from '../config/client-properties.ts'
import { presentConfig } from '../config/providers/config-providers.ts'
import { loggerNamed } from '../config/logger-names.ts'
import { parseWorkerConfig } from '../config/worker-config.ts'
import { createStages } from '../plugins/create-stages.ts'
import { Lease } from '../lease/lease.ts'
import type { Plugins } from '../plugins/plugins.ts'
import { taskId } from '../storage/task-id.ts'
import { TopicWriter } from '../storage/topic-writer.ts'
import { CompatibilityChecks } from './admission/compatibility-checks.ts'
import { OpenTopics } from './admission/open-topics.ts'
import { RecordGate } from './admission/record-gate.ts'
import { SchemaRegistrar } from './admission/schema-registrar.ts'
import { TopicOpener } from './admission/topic-opener.ts'
import { AtLeastOnceDelivery } from './delivery/at-least-once-delivery.ts'
import { repeatLimit } from './delivery/repeat-limit.ts'
import { IdleMemory } from './idle-memory.ts'
import { MetricsReports } from './metrics-reports.ts'
import { RecordEncoder } from './record-encoder.ts'
import type { ResolvedTaskData } from './resolved-task-data.ts'
import { createConverters, createTask, createTaskContext, loadedPlugins } from './task-plugins.ts'
import type { TaskReport } from './thread-protocol.ts'
import { TransformationChain } from './transformation-chain.ts'
import { v8Heap } from './v8-heap.ts'
import { WorkerSourceTask } from './worker-source-task.ts'

export interface TaskSetting {
  readonly resolved: ResolvedTaskData
  readonly plugins: Plugins
  /** Of the connector, which adds a context of its own. */
  readonly logger: Logger
  /** Of all other parts of the task. */
  readonly threadLogger: Logger
  readonly report: (report: TaskReport) => void
  /** Registers the function that makes the task report each topic again. */
  readonly onForgetTopics: (forget: () => void) => void
  readonly signal: AbortSignal
}

/** Connects the parts of a task and runs it. Only wiring: every decision is in the parts. */
export async function runTask(setting: TaskSetting): Promise<void> {
  const { resolved, threadLogger: logger, report, signal } = setting
  const { connectorName, taskNumber } = resolved.data
  const clock = systemClock
  const lease = new Lease(clock, resolved.data.lease)
  const meter = new LiveMeter()
  const taskConfig = presentConfig(resolved.taskConfig)
  const config = parseWorkerConfig(presentConfig(resolved.workerProperties))
  const plugins = await loadedPlugins(setting.plugins, config, taskConfig)
  const task = createTask(plugins, taskConfig)
  const converters = createConverters(plugins, config, taskConfig)
  using chain = new TransformationChain(createStages(plugins, taskConfig, { logger: setting.logger }))
  const producerProperties = clientProperties('producer', config.properties, taskConfig)
  const kafka = createKafka({
    ...kafkaOptionsFromProperties(producerProperties),
    securitySetting: 'security.protocol of the worker, or producer.override.security.protocol of the connector,',
    clientId: `connector-producer-${taskId(connectorName, taskNumber)}`,
    mayWrite: () => lease.isHeld,
    logger: logger.child(loggerNamed('clients')),
    clock,
  })
  const { recordsBetweenCommits, sendWindow } = repeatLimit(config.offsetFlushMaxRecords)
  const onDelivered = (tokens: readonly number[]): void => delivery.onDelivered(tokens)
  const producerOptions = producerOptionsFromProperties(producerProperties)
  await using producer = await kafka.producer({ ...producerOptions, onDelivered, sendWindow }, signal)
  await using admin = kafka.admin()
  await using offsetLog = new TopicWriter({ kafka, topic: config.offsetTopic.name })
  const delivery = new AtLeastOnceDelivery({
    connectorName,
    producer,
    offsetLog,
    onCommitted: async () => task.commit?.(),
    recordsBetweenCommits,
    intervalMs: config.offsetFlushIntervalMs,
    timeoutMs: config.offsetFlushTimeoutMs,
    clock,
    logger,
    meter,
  })
  const opener = new TopicOpener({ producer, admin, onOpened: (topic) => report({ tag: 'topic', topic }), logger })
  opener.preload(signal)
  const gate = new RecordGate({
    openTopics: new OpenTopics(converters),
    opener,
    registrar: new SchemaRegistrar({ converters, producer, clock, logger }),
    checks: new CompatibilityChecks({ converters, clock, logger }),
  })
  setting.onForgetTopics(() => gate.forgetTopics())
  using memory = new IdleMemory({ heap: v8Heap, clock, logger })
  using _reports = new MetricsReports({ meter, clock, report: (metrics) => report({ tag: 'metrics', metrics }) })
  await new WorkerSourceTask({
    task,
    context: createTaskContext(resolved.data, {
      taskConfig,
      workerProperties: config.properties,
      mayWrite: () => lease.isHeld,
      logger: setting.logger,
    }),
    chain,
    gate,
    encoder: new RecordEncoder(converters.headerConverter),
    delivery,
    memory,
    lease,
    onStarted: () => report({ tag: 'started' }),
    clock,
    logger,
    meter,
  }).run(signal)
}
