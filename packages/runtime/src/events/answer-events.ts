import type { EventsMessage } from '@tributary/rest-api'
import { systemClock, toError, type Logger } from '@tributary/support'
import { parentPort } from 'node:worker_threads'
import { converterOf } from '../config/client-properties.ts'
import { loggerNamed } from '../config/logger-names.ts'
import { ConfigProviders, presentConfig } from '../config/providers/config-providers.ts'
import { parseWorkerConfig, type ConverterSpec } from '../config/worker-config.ts'
import type { Plugins } from '../plugins/plugins.ts'
import { taskClients } from '../task/task-clients.ts'
import type { EventsCommand, EventsData, EventsReport } from './event-messages.ts'
import type { LoadEventViewer } from './event-viewer.ts'

export interface AnswerEventsOptions {
  readonly plugins: Plugins
  readonly loadViewer: LoadEventViewer
  readonly logger: Logger
}

/** Reads the topic that the main thread asks for: one in the life of a thread, which ends with it. */
export function answerEvents(options: AnswerEventsOptions): void {
  parentPort?.on('message', (command: EventsCommand) => {
    if (command.tag === 'view events') void run(options, command.data)
  })
}

async function run(options: AnswerEventsOptions, data: EventsData): Promise<void> {
  let mask: ReturnType<ConfigProviders['resolve']>['mask'] | null = null
  try {
    const providers = ConfigProviders.of(data.workerProperties)
    const worker = providers.resolve(data.workerProperties)
    const resolved = providers.resolve(data.config)
    mask = resolved.mask.with(worker.mask)
    const logger = mask
      .logger(options.logger)
      .child({ connectorName: data.connectorName, connectorContext: 'events', ...loggerNamed('worker') })
    await view({ ...options, logger }, data, { config: presentConfig(resolved), worker: presentConfig(worker) })
    report({ tag: 'end', error: null })
  } catch (thrown) {
    const { message } = toError(thrown)
    report({ tag: 'end', error: mask === null ? message : mask.text(message) })
  }
}

type Properties = Readonly<Record<string, string>>

async function view(
  { plugins, loadViewer, logger }: AnswerEventsOptions,
  { connectorName, topic, scanLength, filter }: EventsData,
  { config, worker }: { readonly config: Properties; readonly worker: Properties },
): Promise<void> {
  await plugins.loadFor({ ...worker, ...config })
  const workerConfig = parseWorkerConfig(worker)
  const named = (spec: ConverterSpec): ConverterSpec => ({
    ...spec,
    className: plugins.converterClass(spec.className),
  })
  const { records: kafka } = taskClients({
    workerProperties: workerConfig.properties,
    taskConfig: config,
    taskId: `${connectorName}-events`,
    mayWrite: () => false,
    logger,
    clock: systemClock,
  })
  const viewTopic = await loadViewer()
  const input = {
    topic,
    scanLength,
    filter,
    converters: {
      key: named(converterOf('key.converter', workerConfig.keyConverter, config)),
      value: named(converterOf('value.converter', workerConfig.valueConverter, config)),
    },
    unavailable: config['unavailable.value.placeholder'] ?? UNAVAILABLE,
    kafka,
    onMessage: report,
    clock: systemClock,
  }
  // The main thread terminates this one when the page leaves.
  await viewTopic(input, new AbortController().signal)
}

/** Debezium's default. */
const UNAVAILABLE = '__debezium_unavailable_value'

function report(message: EventsMessage): void {
  const envelope: EventsReport = { tag: 'events', json: JSON.stringify(message), isEnd: message.tag === 'end' }
  parentPort?.postMessage(envelope)
}
