import type { Verification } from '@tributary/rest-api'
import { connectorPath } from '../connectors/connector-answers.ts'
import { RefusedError, type RestAnswer } from '../connectors/rest-client.ts'
import { Session, type SessionOptions } from '../connectors/session.ts'
import { cliErrors } from '../errors.ts'
import { endingSignal } from '../process/ending-signal.ts'
import { EXIT, type ExitCode } from '../process/exit-code.ts'
import { progressLine, renderVerification } from '../verification/render-verification.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The options of the command line. */
export interface VerifyOptions extends SessionOptions {
  readonly table?: readonly string[]
  readonly rate?: number
}

const POLL_MS = 500
/** A worker that restarts answers within that time; `RestClient` waits for one that is starting. */
const ABSENCE_MS_MAX = 60_000

/**
 * `tributary verify CONNECTOR`: starts a comparison on the worker, follows it, and prints its result. A worker that was
 * restarted meanwhile compares the tables that had no result yet. Ctrl-C cancels the comparison.
 */
export function verify(name: string, options: VerifyOptions, environment: Environment): Promise<ExitCode> {
  return Session.run(options, environment, (session) => new Follower(session, name, options).run(endingSignal()))
}

class Follower {
  readonly #session: Session
  readonly #name: string
  readonly #options: VerifyOptions
  /** Results of tables that an earlier worker compared. */
  #finished: Verification['tables'] = []
  #shown = ''

  constructor(session: Session, name: string, options: VerifyOptions) {
    this.#session = session
    this.#name = name
    this.#options = options
  }

  async run(signal: AbortSignal): Promise<ExitCode> {
    let run = await this.#start(this.#options.table ?? [])
    while (run.state === 'RUNNING') {
      this.#showProgress(run)
      if (signal.aborted) return this.#cancel(run)
      await this.#session.clock.sleep(POLL_MS)
      run = (await this.#read(run)) ?? (await this.#startAgain(run))
    }
    const whole = { ...run, tables: [...this.#finished, ...run.tables] }
    this.#session.showDocument(JSON.stringify(whole))
    this.#session.showText(renderVerification(whole, this.#session.palette))
    return exitCodeOfResult(whole)
  }

  async #start(tables: readonly string[]): Promise<Verification> {
    const { rate } = this.#options
    const request = { ...(tables.length === 0 ? {} : { tables }), ...(rate === undefined ? {} : { rate }) }
    const path = connectorPath(this.#name, '/verifications')
    return this.#documentOf(await this.#session.client.request('POST', path, JSON.stringify(request)))
  }

  /** Null: the worker was restarted, and does not know the run. */
  async #read({ id }: Verification): Promise<Verification | null> {
    const path = connectorPath(this.#name, `/verifications/${id}`)
    const endMs = this.#session.clock.now() + ABSENCE_MS_MAX
    for (;;) {
      try {
        return this.#documentOf(await this.#session.client.request('GET', path))
      } catch (error) {
        if (error instanceof RefusedError && error.status === 404) return null
        if (!isAbsent(error) || this.#session.clock.now() >= endMs) throw error
        await this.#session.clock.sleep(POLL_MS)
      }
    }
  }

  /** Tables with a result are not compared again. */
  #startAgain({ tables }: Verification): Promise<Verification> {
    const ended = tables.filter(({ state }) => state !== 'WAITING' && state !== 'RUNNING')
    this.#finished = [...this.#finished, ...ended]
    this.#session.note('the worker was restarted: comparing the tables that have no result yet')
    const rest = tables.filter((table) => !ended.includes(table)).map(({ table }) => table)
    return this.#start(rest.length > 0 ? rest : (this.#options.table ?? []))
  }

  async #cancel({ id }: Verification): Promise<ExitCode> {
    await this.#session.client.request('DELETE', connectorPath(this.#name, `/verifications/${id}`))
    this.#session.note('cancelled')
    return EXIT.failed
  }

  #showProgress(run: Verification): void {
    const line = progressLine(run)
    if (line === this.#shown || line === '') return
    this.#shown = line
    this.#session.note(line)
  }

  #documentOf({ json }: RestAnswer): Verification {
    const { client } = this.#session
    const isOne = typeof json === 'object' && json !== null && 'state' in json && 'tables' in json
    if (!isOne) throw cliErrors.SERVICE_FOREIGN({ url: client.url, reason: 'its JSON is not a verification' })
    return json as Verification
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'SERVICE_UNREACHABLE'
}

/** Differences are a failure; rows without a proof are another one, since something may be wrong with them. */
function exitCodeOfResult({ state, tables }: Verification): ExitCode {
  if (state !== 'COMPLETED') return EXIT.failed
  if (tables.some((table) => table.state === 'DIFFERENT')) return EXIT.failed
  return tables.every((table) => table.state === 'EQUAL') ? EXIT.ok : EXIT.unproven
}
