import type { SourceOffset, SourceTask, SourceTaskContext } from '@tributary/connect-api'
import type { OpenSocket } from '@tributary/kafka'
import { LiveMeter, type Clock, type Logger } from '@tributary/support'
import { presentConfig } from '../config/providers/config-providers.ts'
import { settingLines } from '../config/setting-notes.ts'
import { parseWorkerConfig, type WorkerConfig } from '../config/worker-config.ts'
import { createStages } from '../plugins/create-stages.ts'
import { Lease } from '../lease/lease.ts'
import { untilHeld } from '../lease/lease-wait.ts'
import type { Plugins } from '../plugins/plugins.ts'
import type { StoredOffset } from '../storage/offset-store.ts'
import { taskId } from '../storage/task-id.ts'
import { CompatibilityChecks } from './admission/compatibility-checks.ts'
import { KeptCodecs } from './admission/kept-codecs.ts'
import { OpenTopics } from './admission/open-topics.ts'
import { RecordGate } from './admission/record-gate.ts'
import { SchemaRegistrar, type SchemaRegistrarOptions } from './admission/schema-registrar.ts'
import { TopicOpener } from './admission/topic-opener.ts'
import type { IdleMemory } from './idle-memory.ts'
import { MetricsReports } from './metrics-reports.ts'
import { measureTask, type MeasuredTask } from './metrics/task-families.ts'
import { ThreadMeter } from './metrics/thread-meter.ts'
import { openDelivery, type OpenDelivery } from './open-delivery.ts'
import { RecordEncoder } from './record-encoder.ts'
import type { ResolvedTaskData } from './resolved-task-data.ts'
import { taskClients } from './task-clients.ts'
import { createConverters, createTask, createTaskContext, loadedPlugins, stageClasses } from './task-plugins.ts'
import { answerOf } from './task-answers.ts'
import type { TaskAnswer, TaskQuestion, TaskReport, TaskThreadData } from './thread-protocol.ts'
import { errorPolicy } from './tolerance/error-policy.ts'
import { LargeRecords } from './tolerance/large-records.ts'
import { RecordErrors, type RecordErrorsOptions } from './tolerance/record-errors.ts'
import { TransformationChain } from './transformation-chain.ts'
import { WorkerSourceTask, type WorkerSourceTaskOptions } from './worker-source-task.ts'

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
  /** Registers the function that makes the task report its numbers now. */
  readonly onMeasure: (measure: () => void) => void
  /** Registers the function that stores the offsets of acknowledged records at once. */
  readonly onCommitOffsets: (commit: () => void) => void
  /** Registers the function that answers questions to the source task. It never rejects. */
  readonly onAsk: (answer: (question: TaskQuestion) => Promise<TaskAnswer>) => void
  /** Reads the stored offsets, now that no earlier producer of the task can write any more. */
  readonly readOffsets: (signal: AbortSignal) => Promise<readonly StoredOffset[]>
  /** Called when the source could not be stopped: it may still read. */
  readonly onUncleanStop: () => void
  /** Of the thread, which other tasks may share. */
  readonly memory: IdleMemory
  readonly clock: Clock
  /** Default: TCP or TLS. */
  readonly openSocket?: OpenSocket | undefined
  /** Called when the task has stored an offset from which its next start continues. */
  readonly onAdvanced: () => void
  readonly signal: AbortSignal
}

/** Connects the parts of a task and runs it. Only wiring: every decision is in the parts. */
export async function runTask(setting: TaskSetting): Promise<void> {
  const { resolved, threadLogger: logger, report, clock, openSocket, signal } = setting
  const { connectorName, taskNumber } = resolved.data
  const lease = new Lease(clock, resolved.data.lease)
  const meter = new LiveMeter()
  const taskConfig = presentConfig(resolved.taskConfig)
  const config = parseWorkerConfig(presentConfig(resolved.workerProperties))
  const plugins = await loadedPlugins(setting.plugins, config, taskConfig)
  const task = await createTask(plugins, taskConfig)
  const converters = createConverters(plugins, config, taskConfig)
  const errors = createRecordErrors(setting, config, { clock, logger, meter })
  using chain = new TransformationChain(createStages(plugins, taskConfig, { logger: setting.logger }), errors)
  for (const line of settingLines(config.properties, taskConfig)) logger.warn(line)
  const clients = taskClients({
    workerProperties: config.properties,
    taskConfig,
    taskId: taskId(connectorName, taskNumber),
    mayWrite: () => lease.isHeld,
    openSocket,
    logger,
    clock,
  })
  // Without the lease another worker may run this task. If one has run it, this worker ends the task before it holds the
  // lease again; so the offsets that were read before the wait are the stored ones.
  await untilHeld({ lease, clock, logger }, signal)
  await using open = await openDelivery({
    connectorName,
    taskNumber,
    config,
    taskConfig,
    clients,
    refusedBytes: resolved.data.refusedBytes ?? {},
    onCommitting: (offsets) => task.committing?.(offsets),
    onCommitted: (offsets) => onCommitted(setting, task, offsets),
    clock,
    logger,
    meter,
    signal,
  })
  const { producer, delivery, wholeTransactions } = open
  await using admin = clients.topics.admin()
  const data = await withOffsets(setting, config)
  const isOn = data.storedOffsets.length > 0 && clients.producerOptions.compression === undefined
  await using codecReader = clients.records.codecReader()
  const codecs = new KeptCodecs({ reader: codecReader, isOn, logger })
  const onOpened = (topic: string): void => report({ tag: 'topic', topic })
  const opener = new TopicOpener({ producer, admin, creation: clients.creation, codecs, onOpened, logger })
  opener.preload(signal)
  const gate = createGate({ converters, producer, errors, clock, logger }, opener)
  using thread = new ThreadMeter()
  using _reports = startReports(setting, { ...data, meter, clock, producer, delivery, errors, thread })
  followCommands(setting, { gate, delivery, task })
  using memory = setting.memory.enter()
  using encoder = new RecordEncoder(converters.headerConverter)
  const parts = { taskConfig, workerProperties: config.properties, wholeTransactions, meter }
  await new WorkerSourceTask({
    task,
    context: createTaskContext(data, { ...parts, ...outside(setting, open), mayWrite: () => lease.isHeld }),
    chain,
    gate,
    encoder,
    delivery,
    errors,
    large: new LargeRecords({ policy: errors.policy, config: taskConfig, logger, meter }),
    memory,
    lease,
    ...taskReports(setting),
    clock,
    logger,
    meter,
  }).run(signal)
}

/** A task that delivers exactly once reads its offsets when its producer has taken over the transactional id. */
async function withOffsets(
  { resolved: { data }, readOffsets, signal }: TaskSetting,
  { exactlyOnce }: WorkerConfig,
): Promise<TaskThreadData> {
  return exactlyOnce === 'enabled' ? { ...data, storedOffsets: await readOffsets(signal) } : data
}

async function onCommitted(
  { onAdvanced }: TaskSetting,
  task: SourceTask,
  offsets: readonly SourceOffset[],
): Promise<void> {
  if (offsets.some((offset) => task.continuesAfter?.(offset) ?? true)) onAdvanced()
  await task.commit?.(offsets)
}

/** What the task reports besides its numbers, topics and end. */
function taskReports({
  report,
  onUncleanStop,
}: TaskSetting): Pick<WorkerSourceTaskOptions, 'onStarted' | 'onLeavesOut' | 'onUncleanStop'> {
  return {
    onStarted: () => report({ tag: 'started' }),
    onLeavesOut: () => report({ tag: 'leaves out at start' }),
    onUncleanStop,
  }
}

interface Commanded {
  readonly gate: Pick<RecordGate, 'forgetTopics'>
  readonly delivery: OpenDelivery['delivery']
  readonly task: SourceTask
}

function followCommands(setting: TaskSetting, { gate, delivery, task }: Commanded): void {
  setting.onForgetTopics(() => gate.forgetTopics())
  setting.onCommitOffsets(() => delivery.commitNow())
  setting.onAsk((question) => answerOf(task, question))
}

/** The logger and the clock of the source, and what it may read and report besides its records. */
function outside(
  { report, logger, clock }: TaskSetting,
  { producer, delivery }: Pick<OpenDelivery, 'producer' | 'delivery'>,
): Required<Pick<SourceTaskContext, 'queue' | 'delivered' | 'notify' | 'logger' | 'clock'>> {
  return {
    logger,
    clock,
    notify: (notification) => report({ tag: 'notification', notification }),
    queue: () => ({ bytes: producer.bufferedBytes, bytesMax: producer.bufferBytesMax }),
    delivered: () => delivery.delivered,
  }
}

/** Reports the numbers at an interval and when they are asked for. */
function startReports({ report, onMeasure }: TaskSetting, task: MeasuredTask): MetricsReports {
  const { meter, clock, thread } = task
  measureTask(task)
  const reports = new MetricsReports({ meter, clock, report: (metrics) => report({ tag: 'metrics', metrics }) })
  onMeasure(() => {
    reports.now()
    thread.restartDelay()
  })
  return reports
}

function createGate(parts: SchemaRegistrarOptions, opener: TopicOpener): RecordGate {
  const { converters } = parts
  return new RecordGate({
    openTopics: new OpenTopics(converters),
    opener,
    registrar: new SchemaRegistrar(parts),
    checks: new CompatibilityChecks(parts),
  })
}

function createRecordErrors(
  { resolved, plugins }: TaskSetting,
  config: WorkerConfig,
  parts: Pick<RecordErrorsOptions, 'clock' | 'logger' | 'meter'>,
): RecordErrors {
  const taskConfig = presentConfig(resolved.taskConfig)
  return new RecordErrors({
    policy: errorPolicy(taskConfig),
    taskId: taskId(resolved.data.connectorName, resolved.data.taskNumber),
    classes: stageClasses(plugins, config, taskConfig),
    ...parts,
  })
}
