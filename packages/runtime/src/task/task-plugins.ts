import type { ConfigMap, HeaderConverter, SourceTask, SourceTaskContext } from '@tributary/connect-api'
import { systemClock, type Clock, type Logger, type Meter } from '@tributary/support'
import { converterOf } from '../config/client-properties.ts'
import type { ConverterSpec, WorkerConfig } from '../config/worker-config.ts'
import { workerDefaults } from '../config/worker-keys.ts'
import { runtimeErrors } from '../errors.ts'
import type { Plugins } from '../plugins/plugins.ts'
import { partitionText } from '../storage/offset-record.ts'
import type { Converters } from './admission/registrations.ts'
import type { TaskThreadData } from './thread-protocol.ts'
import type { StageClasses } from './tolerance/record-errors.ts'

/** The plug-ins, those among them that the configurations of worker and task may name. */
export async function loadedPlugins(plugins: Plugins, config: WorkerConfig, taskConfig: ConfigMap): Promise<Plugins> {
  await plugins.loadFor({ ...config.properties, ...taskConfig })
  return plugins
}

/** @throws CLASS_UNKNOWN */
export async function createTask(plugins: Plugins, taskConfig: ConfigMap): Promise<SourceTask> {
  const className = taskConfig['connector.class'] ?? ''
  const plugin = plugins.source(className)
  if (plugin === null) throw runtimeErrors.CLASS_UNKNOWN({ className, kind: 'connector' })
  return plugin.createTask()
}

export interface TaskConverters extends Converters {
  readonly headerConverter: HeaderConverter
}

/** The Java classes of these converters and of the producing task, for the log. */
export function stageClasses(plugins: Plugins, config: WorkerConfig, taskConfig: ConfigMap): StageClasses {
  const classOf = (
    property: 'key.converter' | 'value.converter' | 'header.converter',
    ofWorker: ConverterSpec,
  ): string => plugins.converterClass(converterOf(property, ofWorker, taskConfig).className)
  return {
    KEY_CONVERTER: classOf('key.converter', config.keyConverter),
    VALUE_CONVERTER: classOf('value.converter', config.valueConverter),
    HEADER_CONVERTER: classOf('header.converter', config.headerConverter),
    KAFKA_PRODUCE: 'org.apache.kafka.connect.runtime.WorkerSourceTask',
  }
}

/** The converters of the task's configuration; the worker's where it names none. */
export function createConverters(plugins: Plugins, config: WorkerConfig, taskConfig: ConfigMap): TaskConverters {
  return {
    keyConverter: plugins.converter(converterOf('key.converter', config.keyConverter, taskConfig), true),
    valueConverter: plugins.converter(converterOf('value.converter', config.valueConverter, taskConfig), false),
    headerConverter: plugins.headerConverter(converterOf('header.converter', config.headerConverter, taskConfig)),
  }
}

export interface TaskContextOptions {
  readonly taskConfig: ConfigMap
  readonly workerProperties: ConfigMap
  readonly mayWrite: () => boolean
  readonly logger: Logger
  readonly meter: Meter
  /** Default: the one of the system. */
  readonly clock?: Clock
  readonly notify?: SourceTaskContext['notify']
  readonly queue: SourceTaskContext['queue']
  readonly delivered?: SourceTaskContext['delivered']
  /** See `SourceTaskContext.prefersWholeTransactions`. */
  readonly wholeTransactions?: boolean
}

export function createTaskContext(
  data: TaskThreadData,
  {
    taskConfig,
    workerProperties,
    mayWrite,
    logger,
    meter,
    clock = systemClock,
    notify,
    queue,
    delivered,
    wholeTransactions = false,
  }: TaskContextOptions,
): SourceTaskContext {
  const offsets = new Map(data.storedOffsets.map(({ partition, offset }) => [partitionText(partition), offset]))
  return {
    config: taskConfig,
    workerDefaults: workerDefaults(workerProperties),
    connectorName: data.connectorName,
    taskNumber: data.taskNumber,
    logger,
    clock,
    meter,
    ...(notify === undefined ? {} : { notify }),
    ...(queue === undefined ? {} : { queue }),
    ...(delivered === undefined ? {} : { delivered }),
    mayWrite,
    prefersWholeTransactions: wholeTransactions,
    storedOffset: (partition) => offsets.get(partitionText(partition)) ?? null,
  }
}
