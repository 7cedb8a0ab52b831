import { connectorPath, infoOf, listOf, warningsOf } from '../connectors/connector-answers.ts'
import { readConnectorDocument } from '../connectors/connector-document.ts'
import { RefusedError } from '../connectors/rest-client.ts'
import { Session, type SessionOptions } from '../connectors/session.ts'
import { renderConnector, renderList, renderStatus } from '../connectors/show-connectors.ts'
import { type Goal, hasFailed, waitForState } from '../connectors/wait-for-state.ts'
import { EXIT, type ExitCode } from '../process/exit-code.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Options of the commands that can wait for what they have begun. */
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

/** `tributary connectors create FILE`: registers a connector, or with --update changes it. */
export function create(file: string, options: CreateOptions, environment: Environment): Promise<ExitCode> {
  return Session.run(options, environment, async (session) => {
    const { name, config, initialState } = await readConnectorDocument(file, { name: options.name })
    const { client } = session
    const warnings = await askWarnings(session, { ...config, name })
    const answer =
      options.update === true
        ? await client.request('PUT', connectorPath(name, '/config'), JSON.stringify(config))
        : await client.request('POST', '/connectors', JSON.stringify({ name, config, initial_state: initialState }))
    session.show(answer, () => `${name}: ${answer.status === 201 ? 'created' : 'changed'}\n`)
    for (const text of warnings) session.warn(text)
    return waitIfAsked(session, { name, goal: 'settled', options, isChanging: answer.status === 200 })
  })
}

/**
 * What the service has against a configuration. It is asked before the registration: afterwards it would see the connector itself,
 * and warn of a replica that has its number. A worker of Kafka Connect tells nothing.
 */
async function askWarnings({ client }: Session, config: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  const className = String(config['connector.class'])
  const path = `/connector-plugins/${encodeURIComponent(className)}/config/validate?warnings=true`
  try {
    return warningsOf(await client.request('PUT', path, JSON.stringify(config)))
  } catch (error) {
    // The registration itself tells what is wrong.
    if (error instanceof RefusedError) return []
    throw error
  }
}

/** `tributary connectors delete NAME…`: asks nothing; says what it did. */
export function remove(names: readonly string[], options: SessionOptions, environment: Environment): Promise<ExitCode> {
  return Session.run(options, environment, (session) =>
    session.forEach(names, async (name) => {
      const answer = await session.client.request('DELETE', connectorPath(name))
      session.show(answer, () => `${name}: deleted; its stored offsets and its topics stay\n`)
      return EXIT.ok
    }),
  )
}

/** `tributary connectors status NAME…`: fails when a connector or a task has failed. */
export function status(names: readonly string[], options: WaitingOptions, environment: Environment): Promise<ExitCode> {
  return Session.run(options, environment, (session) =>
    session.forEach(names, async (name) => {
      const { client, palette } = session
      // A connector that is not there is told at once, not waited for.
      await client.request('GET', connectorPath(name))
      const limitSeconds = options.wait === true ? options.waitSeconds : UNREPORTED_SECONDS
      const { answer, status: found } = await waitForState(name, options.wait === true ? 'settled' : 'reported', {
        client,
        clock: session.clock,
        limitSeconds,
      })
      session.show(answer, () => renderStatus(found, palette))
      return hasFailed(found) ? EXIT.failed : EXIT.ok
    }),
  )
}

/** A connector that was just created has no status for a moment; one of an idle worker may never get one. */
const UNREPORTED_SECONDS = 10

/** An operation that the service accepts and then carries out. */
interface Operation {
  readonly path: string
  readonly goal: Goal
  /** What was asked for, for people. */
  readonly done: string
}

type OperationName = 'pause' | 'resume' | 'stop'

const OPERATIONS: Readonly<Record<OperationName, Operation>> = {
  pause: { path: '/pause', goal: 'paused', done: 'pausing' },
  resume: { path: '/resume', goal: 'running', done: 'resuming' },
  stop: { path: '/stop', goal: 'stopped', done: 'stopping; its configuration and offsets stay' },
}

/** `tributary connectors pause|resume|stop NAME…` */
export function operate(
  operation: OperationName,
  names: readonly string[],
  options: WaitingOptions,
  environment: Environment,
): Promise<ExitCode> {
  const { path, goal, done } = OPERATIONS[operation]
  return Session.run(options, environment, (session) =>
    session.forEach(names, async (name) => {
      const answer = await session.client.request('PUT', connectorPath(name, path))
      session.show(answer, () => `${name}: ${done}\n`)
      return waitIfAsked(session, { name, goal, options })
    }),
  )
}

/** `tributary connectors restart NAME…`: with its tasks, since these are what mostly has failed. */
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
      session.show(answer, () => `${name}: ${task === undefined ? 'is restarted' : `task ${task} is restarted`}\n`)
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

/** With --wait: shows the state that is reached, and fails when that is a failure. */
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
