import { doneOr, StoppedError, systemClock, toError, type Logger } from '@tributary/support'
import { parentPort } from 'node:worker_threads'
import { converterOf } from '../config/client-properties.ts'
import { loggerNamed } from '../config/logger-names.ts'
import { ConfigProviders, presentConfig } from '../config/providers/config-providers.ts'
import { parseWorkerConfig, type ConverterSpec } from '../config/worker-config.ts'
import type { Plugins } from '../plugins/plugins.ts'
import { taskClients } from '../task/task-clients.ts'
import type { VerificationCommand, VerificationData, VerificationReport } from './verification-messages.ts'
import type { ConnectorProgress, LoadVerifier } from './verifier.ts'

export interface AnswerVerificationOptions {
  readonly plugins: Plugins
  readonly loadVerifier: LoadVerifier
  readonly logger: Logger
}

/** Runs the comparison that the main thread asks for: one in the life of a thread. */
export function answerVerification(options: AnswerVerificationOptions): void {
  const stop = new AbortController()
  parentPort?.on('message', (command: VerificationCommand) => {
    if (command.tag === 'verify stop') stop.abort()
    if (command.tag === 'verify') void run(options, command.data, stop.signal)
  })
}

async function run(options: AnswerVerificationOptions, data: VerificationData, signal: AbortSignal): Promise<void> {
  const providers = ConfigProviders.of(data.workerProperties)
  let mask: ReturnType<typeof providers.resolve>['mask'] | null = null
  try {
    const worker = providers.resolve(data.workerProperties)
    const resolved = providers.resolve(data.config)
    mask = resolved.mask.with(worker.mask)
    const logger = mask
      .logger(options.logger)
      .child({ connectorName: data.connectorName, connectorContext: 'verification', ...loggerNamed('worker') })
    await compare(
      { ...options, logger },
      data,
      { config: presentConfig(resolved), worker: presentConfig(worker) },
      signal,
    )
    report({ tag: 'verify ended', error: null })
  } catch (thrown) {
    const error = toError(thrown)
    if (error instanceof StoppedError) report({ tag: 'verify ended', error: 'It was cancelled' })
    else report({ tag: 'verify ended', error: mask === null ? error.message : mask.text(error.message) })
  }
}

type Properties = Readonly<Record<string, string>>

async function compare(
  { plugins, loadVerifier, logger }: AnswerVerificationOptions,
  { connectorName, tables, rowsPerSecond }: VerificationData,
  { config, worker }: { readonly config: Properties; readonly worker: Properties },
  signal: AbortSignal,
): Promise<void> {
  await plugins.loadFor({ ...worker, ...config })
  const workerConfig = parseWorkerConfig(worker)
  const named = (spec: ConverterSpec): ConverterSpec => ({
    ...spec,
    className: plugins.converterClass(spec.className),
  })
  const clients = taskClients({
    workerProperties: workerConfig.properties,
    taskConfig: config,
    taskId: `${connectorName}-verification`,
    mayWrite: () => false,
    logger,
    clock: systemClock,
  })
  const verify = await loadVerifier()
  const input = {
    connector: connectorName,
    config,
    converters: {
      key: named(converterOf('key.converter', workerConfig.keyConverter, config)),
      value: named(converterOf('value.converter', workerConfig.valueConverter, config)),
    },
    kafka: clients.records,
    tables,
    rowsPerSecond,
    readProgress: askProgress,
    onProgress: (states: Parameters<Parameters<typeof verify>[0]['onProgress']>[0]) =>
      report({ tag: 'verify tables', tables: states }),
    clock: systemClock,
    logger,
  }
  await verify(input, signal)
}

/** Asks the main thread, which alone knows the stored offsets. One question at a time. */
async function askProgress(signal: AbortSignal): Promise<ConnectorProgress> {
  const { promise, resolve } = Promise.withResolvers<ConnectorProgress>()
  const onAnswer = (command: VerificationCommand): void => {
    if (command.tag === 'verify progress') resolve(command.progress)
  }
  parentPort?.on('message', onAnswer)
  try {
    report({ tag: 'verify ask progress' })
    return await doneOr(promise, signal)
  } finally {
    parentPort?.off('message', onAnswer)
  }
}

function report(message: VerificationReport): void {
  parentPort?.postMessage(message)
}
