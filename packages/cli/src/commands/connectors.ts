import { connectorPath, infoOf, listOf, sourceClassesOf, warningsOf } from '../connectors/connector-answers.ts'
import { RefusedError } from '../connectors/rest-client.ts'
import { Session, type SessionOptions } from '../connectors/session.ts'
import { renderConnector, renderList, renderStatus } from '../connectors/show-connectors.ts'
import { readHealth, renderProblems } from '../connectors/connector-health.ts'
import { readSnapshot, renderSnapshot } from '../connectors/show-snapshot.ts'
import { renderTimeToLoss } from '../connectors/time-to-loss.ts'
import { type Goal, hasFailed, waitForState } from '../connectors/wait-for-state.ts'
import type { ConnectorDocument } from '../forms/connector-document.ts'
import { readConnectorDocuments, shownFile } from '../forms/read-documents.ts'
import { renderDocument } from '../forms/show-document.ts'
import { cliErrors } from '../errors.ts'
import { EXIT, type ExitCode } from '../process/exit-code.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Options of the commands that can wait until the connector has reached its new state. */
export interface WaitingOptions extends SessionOptions {
  readonly wait?: boolean
  readonly waitSeconds: number
}

export interface CreateOptions extends WaitingOptions {
  readonly name?: string
  readonly update?: boolean
}

export interface RestartOptions extends WaitingOptions {
  readonly onlyFailed?: boolean
  readonly task?: number
}

/** `tributary connectors list` */
export function list(options: SessionOptions, environment: Environment): Promise<ExitCode> {
  return Session.run(options, environment, async (session) => {
    const answer = await session.client.request('GET', '/connectors?expand=status&expand=info')
    const connectors = listOf(session.client, answer)
    session.show(answer, () => renderList(connectors, session.palette))
    return EXIT.ok
  })
}

/** `tributary connectors get NAME…` */
export function get(names: readonly string[], options: SessionOptions, environment: Environment): Promise<ExitCode> {
  return Session.run(options, environment, (session) =>
    session.forEach(names, async (name) => {
      const answer = await session.client.request('GET', connectorPath(name))
      const info = infoOf(session.client, answer)
      session.show(answer, () => renderConnector(info, session.palette))
      return EXIT.ok
    }),
  )
}

/** `tributary connectors create FILE`: registers the connectors of a file, or with --update changes them. */
export function create(file: string, options: CreateOptions, environment: Environment): Promise<ExitCode> {
  return Session.run(options, environment, async (session) => {
    const documents = await readConnectorDocuments(file, { name: options.name, environment })
    const classless = documents.some(({ config }) => (config['connector.class'] ?? '') === '')
    if (classless) throw await missingClass(session, file)
    const byName = new Map(documents.map((document) => [document.name, document]))
    const [only] = documents
    // The error of a single connector needs no name.
    if (only !== undefined && documents.length === 1) return createOne(session, only, options)
    return session.forEach([...byName.keys()], async (name) => {
      const document = byName.get(name)
      return document === undefined ? EXIT.ok : createOne(session, document, options)
    })
  })
}

async function createOne(session: Session, document: ConnectorDocument, options: CreateOptions): Promise<ExitCode> {
  const { client } = session
  const { name, config, initialState, isOnlyForNew, notes } = document
  session.showText(renderDocument(document))
  for (const text of notes) session.note(text)
  const warnings = await askWarnings(session, { ...config, name })
  try {
    const answer =
      options.update === true
        ? await client.request('PUT', connectorPath(name, '/config'), JSON.stringify(config))
        : await client.request('POST', '/connectors', JSON.stringify({ name, config, initial_state: initialState }))
    session.showLine(answer, `${name}: ${answer.status === 201 ? 'created' : 'changed'}`)
    for (const text of warnings) session.warn(text)
    return await waitIfAsked(session, { name, goal: 'settled', options, isChanging: answer.status === 200 })
  } catch (error) {
    if (!isOnlyForNew || !(error instanceof RefusedError) || !error.message.endsWith('already exists')) throw error
    session.note(`${name} already exists and is not changed (IF NOT EXISTS).`)
    return EXIT.ok
  }
}

/** Connect's own answer to such a document names no class, and contains the whole configuration with its passwords. */
async function missingClass({ client }: Session, file: string): Promise<Error> {
  const classes = sourceClassesOf(await client.request('GET', '/connector-plugins'))
  const reason = 'it has no connector.class'
  return cliErrors.CONNECTOR_CLASS({ file: shownFile(file), reason, classes: classes.join(', ') })
}

/**
 * The warnings of the service about a configuration. Requested before the registration: afterwards the service would
 * warn about the connector's own connection to the server, which has the same database.server.id. Kafka Connect sends
 * none.
 */
async function askWarnings({ client }: Session, config: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  const className = String(config['connector.class'])
  const path = `/connector-plugins/${encodeURIComponent(className)}/config/validate?warnings=true`
  try {
    return warningsOf(await client.request('PUT', path, JSON.stringify(config)))
  } catch (error) {
    // The registration will report the fault.
    if (error instanceof RefusedError) return []
    throw error
  }
}

/** `tributary connectors delete NAME…`: does not ask for confirmation. */
export function remove(names: readonly string[], options: SessionOptions, environment: Environment): Promise<ExitCode> {
  return Session.run(options, environment, (session) =>
    session.forEach(names, async (name) => {
      const answer = await session.client.request('DELETE', connectorPath(name))
      session.showLine(answer, `${name}: deleted; its stored offsets and its topics are kept`)
      return EXIT.ok
    }),
  )
}

/** `tributary connectors status NAME…`: the exit code is 1 if a connector or a task has failed. */
export function status(names: readonly string[], options: WaitingOptions, environment: Environment): Promise<ExitCode> {
  return Session.run(options, environment, (session) =>
    session.forEach(names, async (name) => {
      const { client, palette } = session
      // An unknown connector is an error at once; without this request the command would wait for its status.
      await client.request('GET', connectorPath(name))
      const limitSeconds = options.wait === true ? options.waitSeconds : UNREPORTED_SECONDS
      const { answer, status: found } = await waitForState(name, options.wait === true ? 'settled' : 'reported', {
        client,
        clock: session.clock,
        limitSeconds,
      })
      session.show(answer, () => renderStatus(found, palette))
      // With --json, programs read one document per connector.
      const health = options.json === true ? null : await readHealth(client, name)
      const snapshot = health === null ? null : await readSnapshot(client, name)
      const isTerminal = process.stdout.isTTY
      if (snapshot !== null) session.showText(renderSnapshot(snapshot, { palette, isTerminal }))
      if (health !== null) session.showText(renderProblems(health, session.clock.now(), palette))
      const loss = health?.timeToLoss ?? null
      if (loss !== null) session.showText(renderTimeToLoss(loss, palette))
      return hasFailed(found) ? EXIT.failed : EXIT.ok
    }),
  )
}

/** How long to wait for the first status of a new connector. In Kafka Connect it may never appear. */
const UNREPORTED_SECONDS = 10

/** An operation that the service accepts first and carries out later. */
interface Operation {
  readonly path: string
  readonly goal: Goal
  /** What the service is doing now, for the user. */
  readonly progress: string
}

type OperationName = 'pause' | 'resume' | 'stop'

const OPERATIONS: Readonly<Record<OperationName, Operation>> = {
  pause: { path: '/pause', goal: 'paused', progress: 'pausing' },
  resume: { path: '/resume', goal: 'running', progress: 'resuming' },
  stop: { path: '/stop', goal: 'stopped', progress: 'stopping; its configuration and offsets are kept' },
}

/** `tributary connectors pause|resume|stop NAME…` */
export function operate(
  operation: OperationName,
  names: readonly string[],
  options: WaitingOptions,
  environment: Environment,
): Promise<ExitCode> {
  const { path, goal, progress } = OPERATIONS[operation]
  return Session.run(options, environment, (session) =>
    session.forEach(names, async (name) => {
      const answer = await session.client.request('PUT', connectorPath(name, path))
      session.showLine(answer, `${name}: ${progress}`)
      return waitIfAsked(session, { name, goal, options })
    }),
  )
}

/** `tributary connectors restart NAME…`: restarts the connectors with their tasks, because mostly a task has failed. */
export function restart(
  names: readonly string[],
  options: RestartOptions,
  environment: Environment,
): Promise<ExitCode> {
  const { task, onlyFailed = false } = options
  const path = task === undefined ? `/restart?includeTasks=true&onlyFailed=${onlyFailed}` : `/tasks/${task}/restart`
  return Session.run(options, environment, (session) =>
    session.forEach(names, async (name) => {
      const answer = await session.client.request('POST', connectorPath(name, path))
      session.showLine(answer, `${name}: ${task === undefined ? 'restarting' : `restarting task ${task}`}`)
      return waitIfAsked(session, { name, goal: 'running', options, isChanging: true })
    }),
  )
}

interface Waiting {
  readonly name: string
  readonly goal: Goal
  readonly options: WaitingOptions
  readonly isChanging?: boolean
}

/** With --wait, waits for the new state and prints it. The exit code is 1 if the connector or a task has failed. */
async function waitIfAsked(session: Session, { name, goal, options, isChanging = false }: Waiting): Promise<ExitCode> {
  if (options.wait !== true) return EXIT.ok
  const { client, clock, palette } = session
  const { answer, status: reached } = await waitForState(name, goal, {
    client,
    clock,
    limitSeconds: options.waitSeconds,
    isChanging,
  })
  session.show(answer, () => renderStatus(reached, palette))
  return hasFailed(reached) ? EXIT.failed : EXIT.ok
}
