import { randomUUID } from 'node:crypto'
import { connectorPath } from '../connectors/connector-answers.ts'
import { Session, type SessionOptions } from '../connectors/session.ts'
import { cliErrors } from '../errors.ts'
import { EXIT, type ExitCode } from '../process/exit-code.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface SignalOptions extends SessionOptions {
  readonly id?: string
  /** JSON. */
  readonly data?: string
}

/** `tributary connectors signal NAME TYPE` */
export function signal(
  name: string,
  type: string,
  options: SignalOptions,
  environment: Environment,
): Promise<ExitCode> {
  return Session.run(options, environment, (session) =>
    send(session, name, { type, ...idOf(options), ...dataOf(options) }),
  )
}

export interface SnapshotOptions extends SessionOptions {
  readonly id?: string
  readonly blocking?: boolean
  readonly where?: string
}

/** `tributary connectors snapshot NAME TABLE…` */
export function snapshot(
  name: string,
  tables: readonly string[],
  options: SnapshotOptions,
  environment: Environment,
): Promise<ExitCode> {
  const { blocking = false, where } = options
  const isOfSeveral = blocking && where !== undefined && tables.length > 1
  const conditions = tables.map((table) => ({ 'data-collection': table, filter: where }))
  const data = {
    'data-collections': tables,
    type: blocking ? 'blocking' : 'incremental',
    ...(where === undefined ? {} : { 'additional-conditions': conditions }),
  }
  return Session.run(options, environment, (session) => {
    if (isOfSeveral) throw cliErrors.SIGNAL_STATEMENT({ tables: tables.join(', ') })
    return send(session, name, { type: 'execute-snapshot', ...idOf(options), data })
  })
}

async function send(session: Session, name: string, body: object): Promise<ExitCode> {
  const answer = await session.client.request('POST', connectorPath(name, '/signals'), JSON.stringify(body))
  const { id, isRepeated } = acceptedOf(answer.json)
  const what = isRepeated ? 'was run before, and is not run again' : 'is accepted; its effect is stored'
  session.showLine(answer, `${name}: the signal ${id} ${what}`)
  return EXIT.ok
}

function acceptedOf(json: unknown): { readonly id: string; readonly isRepeated: boolean } {
  const fields = typeof json === 'object' && json !== null ? (json as Readonly<Record<string, unknown>>) : {}
  return { id: String(fields['id']), isRepeated: fields['is_repeated'] === true }
}

/** The client repeats a request that was not answered with success: without an id, each would be another signal. */
function idOf({ id = randomUUID() }: { readonly id?: string }): { readonly id: string } {
  return { id }
}

/** The worker would take a text for the JSON of the data, and name no place in it. */
function dataOf({ data }: SignalOptions): { readonly data?: unknown } {
  if (data === undefined) return {}
  try {
    return { data: JSON.parse(data) as unknown }
  } catch (error) {
    throw cliErrors.SIGNAL_DATA({ reason: error instanceof Error ? error.message : '' }, error)
  }
}
