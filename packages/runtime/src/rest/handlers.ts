import type {
  ConfigInfos,
  ConfigWarning,
  ExpandedConnector,
  InternalRouteName,
  RouteName,
  SupportedRouteName,
  WorkerStatus,
} from '@tributary/rest-api'
import { shownValue } from '../config/shown-value.ts'
import { HerderError, type HerderProblem } from '../herder/herder-error.ts'
import type { Herder } from '../herder/herder.ts'
import { readAlteredOffsets } from './altered-offsets.ts'
import { protocolMessage } from './error-answer.ts'
import type { HerderGate } from './herder-gate.ts'
import { parseContentType } from './http/media-type.ts'
import { connectorPath } from './location.ts'
import { readInternalRequest, readTaskConfigs } from './internal-request.ts'
import { readLoggerLevel } from './logger-level.ts'
import { readConfigPatch, readConfigToValidate, readConnectorConfig, readRegistration } from './registration.ts'
import { RequestError } from './request-error.ts'
import type { Handler, RestAnswer, RestRequest } from './rest-answer.ts'
import { toRequestError } from './rest-errors.ts'
import { readSignalRequest } from './signal-request.ts'
import { readVerificationRequest } from './verification-request.ts'

/** The handler of each operation. */
export function createHandlers(gate: HerderGate): Readonly<Record<RouteName, Handler>> {
  return {
    getServerInfo: () => ok(gate.serverInfo),
    getHealth: () => healthAnswer(gate.health),
    listConnectors: (request) =>
      ok(request.query.has('expand') ? expandConnectors(gate.herder, request) : gate.herder.connectorNames()),
    createConnector: async (request) => {
      const info = await gate.herder.createConnector(readRegistration(entityOf(request)))
      return { status: 201, document: info, location: connectorPath(info.name) }
    },
    getConnector: (request) => ok(shownTo(request, gate.herder.connectorInfo(connectorOf(request)))),
    deleteConnector: async (request) => {
      await gate.herder.deleteConnector(connectorOf(request))
      return { status: 204 }
    },
    putConnectorConfig: async (request) => {
      const name = connectorOf(request)
      const { isNew, info } = await gate.herder.putConnectorConfig(name, readConnectorConfig(entityOf(request), name))
      return isNew ? { status: 201, document: info, location: connectorPath(name) } : ok(info)
    },
    patchConnectorConfig: async (request) =>
      ok(await gate.herder.patchConnectorConfig(connectorOf(request), readConfigPatch(entityOf(request)))),
    pauseConnector: async (request) => {
      await gate.herder.pauseConnector(connectorOf(request))
      return { status: 202 }
    },
    resumeConnector: async (request) => {
      await gate.herder.resumeConnector(connectorOf(request))
      return { status: 202 }
    },
    stopConnector: async (request) => {
      await gate.herder.stopConnector(connectorOf(request))
      return { status: 204 }
    },
    restartConnector: async (request) => {
      const name = connectorOf(request)
      const includeTasks = isTrue(request.query.get('includeTasks') ?? '')
      const onlyFailed = isTrue(request.query.get('onlyFailed') ?? '')
      if (includeTasks || onlyFailed) {
        return { status: 202, document: await gate.herder.restartConnectorAndTasks(name, { includeTasks, onlyFailed }) }
      }
      await gate.herder.restartConnector(name)
      return { status: 204 }
    },
    restartTask: async (request) => {
      await gate.herder.restartTask(connectorOf(request), taskOf(request))
      return { status: 204 }
    },
    getTopics: (request) => ok(gate.herder.connectorTopics(connectorOf(request))),
    resetTopics: (request) => {
      gate.herder.resetTopics(connectorOf(request))
      return { status: 202 }
    },
    getOffsets: async (request) => ok(await gate.herder.connectorOffsets(connectorOf(request))),
    alterOffsets: async (request) =>
      ok(await gate.herder.alterOffsets(connectorOf(request), readAlteredOffsets(entityOf(request)))),
    deleteOffsets: async (request) => ok(await gate.herder.resetOffsets(connectorOf(request))),
    getConnectorConfig: (request) =>
      ok(shownTo(request, { config: gate.herder.connectorConfig(connectorOf(request)) }).config),
    getConnectorStatus: (request) => ok(gate.herder.connectorStatus(connectorOf(request))),
    getTasks: (request) => ok(gate.herder.taskInfos(connectorOf(request)).map((task) => shownTo(request, task))),
    getTaskStatus: (request) => ok(gate.herder.taskStatus(connectorOf(request), taskOf(request))),
    ...workerHandlers(gate),
    ...ownHandlers(gate),
    ...internalHandlers(gate),
  }
}

/** What is about the worker: its plug-ins and loggers. */
function workerHandlers(gate: HerderGate): Pick<Readonly<Record<SupportedRouteName, Handler>>, WorkerRouteName> {
  return {
    listPlugins: async ({ query }) => ok(await gate.herder.plugins(isTrue(query.get('connectorsOnly') ?? 'true'))),
    getPluginConfig: async (request) => ok(await gate.herder.pluginConfig(pluginOf(request))),
    validateConfig: async (request) => ok(await validateConfig(gate.herder, request)),
    listSourceTables: async (request) =>
      ok(await gate.herder.listSourceTables(readConfigToValidate(entityOf(request), pluginOf(request)))),
    listLoggers: () => ok(gate.herder.loggers()),
    getLogger: (request) => ok(gate.herder.logger(loggerOf(request))),
    putLogger: (request) => putLogger(gate.herder, request),
  }
}

type WorkerRouteName =
  | 'listPlugins'
  | 'getPluginConfig'
  | 'validateConfig'
  | 'listSourceTables'
  | 'listLoggers'
  | 'getLogger'
  | 'putLogger'

/** Kafka Connect does not have these operations. */
function ownHandlers(gate: HerderGate): Pick<Readonly<Record<SupportedRouteName, Handler>>, OwnRouteName> {
  return {
    listVerifications: async (request) => ok(await gate.herder.verifications(connectorOf(request))),
    startVerification: async (request) => {
      const name = connectorOf(request)
      const started = await gate.herder.startVerification(name, readVerificationRequest(entityOf(request)))
      return { status: 201, document: started, location: `${connectorPath(name)}/verifications/${started.id}` }
    },
    getVerification: async (request) =>
      ok(await gate.herder.verification(connectorOf(request), verificationOf(request))),
    deleteVerification: async (request) => {
      await gate.herder.deleteVerification(connectorOf(request), verificationOf(request))
      return { status: 204 }
    },
    sendSignal: async (request) => {
      const sent = await gate.herder.sendSignal(connectorOf(request), readSignalRequest(entityOf(request)))
      return { status: 202, document: sent }
    },
  }
}

type OwnRouteName = 'listVerifications' | 'startVerification' | 'getVerification' | 'deleteVerification' | 'sendSignal'

async function putLogger(herder: Herder, request: RestRequest): Promise<RestAnswer> {
  const level = readLoggerLevel(entityOf(request))
  // As in Kafka Connect, an unknown scope is the worker's.
  if (request.query.get('scope')?.toLowerCase() !== 'cluster') {
    return ok(herder.setLoggerLevel(loggerOf(request), level))
  }
  await herder.setClusterLoggerLevel(loggerOf(request), level)
  return { status: 204 }
}

/** Answers an unknown class with status 500 and the name of an exception, as Kafka Connect does. */
async function validateConfig(
  herder: Herder,
  request: RestRequest,
): Promise<ConfigInfos & { readonly warnings?: readonly ConfigWarning[] }> {
  const config = readConfigToValidate(entityOf(request), pluginOf(request))
  try {
    const infos = await herder.validateConfig(config)
    if (!isTrue(request.query.get('warnings') ?? '')) return infos
    // A configuration with errors gets no warnings.
    return { ...infos, warnings: infos.error_count > 0 ? [] : await herder.configWarnings(config) }
  } catch (error) {
    if (!isTagged(error, 'no connector class') && !isTagged(error, 'unknown connector class')) throw error
    const name = 'org.apache.kafka.connect.runtime.rest.errors.BadRequestException'
    throw new RequestError(500, `${name}: ${toRequestError(error).message}`, error)
  }
}

/** Operations of the other workers of the group. */
function internalHandlers(gate: HerderGate): Readonly<Record<InternalRouteName, Handler>> {
  return {
    putTaskConfigs: async (request) => {
      gate.herder.requireSigned(readInternalRequest(request))
      await gate.herder.putTaskConfigs(connectorOf(request), readTaskConfigs(request.body))
      return { status: 204 }
    },
    fenceTasks: async (request) => {
      gate.herder.requireSigned(readInternalRequest(request))
      await gate.herder.fenceZombies(connectorOf(request))
      return { status: 204 }
    },
  }
}

function healthAnswer(health: WorkerStatus): RestAnswer {
  return { status: healthStatuses[health.status], document: health }
}

const healthStatuses = { healthy: 200, starting: 503, unhealthy: 500 }

function ok(document: unknown): RestAnswer {
  return { status: 200, document }
}

/** The documents of all connectors by name, `info` before `status`. Omits a connector that has just been deleted. */
function expandConnectors(herder: Herder, request: RestRequest): Readonly<Record<string, ExpandedConnector>> {
  const expansions = request.query.getAll('expand')
  const expanded: [string, ExpandedConnector][] = []
  for (const name of herder.connectorNames()) {
    try {
      const info = expansions.includes('info') ? { info: shownTo(request, herder.connectorInfo(name)) } : {}
      const status = expansions.includes('status') ? { status: herder.connectorStatus(name) } : {}
      expanded.push([name, { ...info, ...status }])
    } catch (error) {
      if (!isTagged(error, 'unknown connector') && !isTagged(error, 'no connector status')) throw error
    }
  }
  return Object.fromEntries(expanded)
}

/** A document as its reader may see it: a user who may only read gets no passwords. */
function shownTo<T extends { readonly config: Readonly<Record<string, string>> }>(
  { role }: RestRequest,
  document: T,
): T {
  if (role === 'full') return document
  const shown = Object.entries(document.config).map(([name, value]) => [name, shownValue(name, value)] as const)
  return { ...document, config: Object.fromEntries(shown) }
}

function isTagged(error: unknown, tag: HerderProblem['tag']): error is HerderError {
  return error instanceof HerderError && error.problem.tag === tag
}

/** The body of a request that requires JSON. Refuses a body of another Content-Type, or of none. */
function entityOf({ headers, body }: RestRequest): Buffer {
  const header = headers['content-type']
  const isJson = header === undefined ? body.length === 0 : parseContentType(header)?.subtype === 'json'
  if (!isJson) throw new RequestError(415, protocolMessage(415))
  return body
}

function connectorOf({ parameters }: RestRequest): string {
  return parameters['connector'] ?? ''
}

function verificationOf({ parameters }: RestRequest): string {
  return parameters['verification'] ?? ''
}

function pluginOf({ parameters }: RestRequest): string {
  return parameters['plugin'] ?? ''
}

function loggerOf({ parameters }: RestRequest): string {
  return parameters['logger'] ?? ''
}

/** The number of a task, a 32-bit integer. A path with anything else is unknown. */
function taskOf({ parameters }: RestRequest): number {
  const text = parameters['task'] ?? ''
  const task = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN
  if (task !== Math.trunc(task) || task < -2_147_483_648 || task > 2_147_483_647) {
    throw new RequestError(404, protocolMessage(404))
  }
  // Makes 0 of -0.
  return task + 0
}

/** A query parameter that is not a boolean is false, as in Jersey. */
function isTrue(text: string): boolean {
  return text.toLowerCase() === 'true'
}
