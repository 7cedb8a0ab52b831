import { type Clock, CodedError, systemClock, visibleJson, visibleText } from '@tributary/support'
import { EXIT, type ExitCode, exitCodeOf } from '../process/exit-code.ts'
import { paletteOf, type Palette } from '../terminal/palette.ts'
import { refusalsOf, renderRefusals, unknownClassText } from './refusals.ts'
import { RefusedError, type RestAnswer, RestClient } from './rest-client.ts'

/** Options of every command of `tributary connectors`. */
export interface SessionOptions {
  readonly url?: string
  readonly json?: boolean
}

type Environment = Readonly<Record<string, string | undefined>>

const DEFAULT_URL = 'http://127.0.0.1:8083'

/** One run of a command: its client of the service, and its output. */
export class Session {
  readonly clock: Clock = systemClock
  readonly client: RestClient
  readonly palette: Palette = paletteOf(process.stdout)
  readonly #isJson: boolean

  private constructor({ url, json = false }: SessionOptions, environment: Environment) {
    const address = url ?? environment['TRIBUTARY_URL'] ?? ''
    this.client = new RestClient({ url: address === '' ? DEFAULT_URL : address, clock: this.clock, onNote: note })
    this.#isJson = json
  }

  /** Runs a command and returns its exit code. Prints the error if it fails. */
  static async run(
    options: SessionOptions,
    environment: Environment,
    act: (session: Session) => Promise<ExitCode>,
  ): Promise<ExitCode> {
    let session: Session | null = null
    try {
      session = new Session(options, environment)
      return await act(session)
    } catch (error) {
      return report(error, null, session)
    }
  }

  /** Acts on each connector in turn, also after the service has refused one. Returns the highest exit code. */
  async forEach(names: readonly string[], act: (name: string) => Promise<ExitCode>): Promise<ExitCode> {
    let worst: ExitCode = EXIT.ok
    for (const name of names) {
      try {
        const code = await act(name)
        if (code > worst) worst = code
      } catch (error) {
        const code = report(error, name, this)
        // The other requests would fail in the same way.
        if (code === EXIT.noService) return code
        if (code > worst) worst = code
      }
    }
    return worst
  }

  /** Prints an answer: unchanged with --json, otherwise rendered for people, with all texts of the answer visible. */
  show({ text }: RestAnswer, render: () => string): void {
    if (this.#isJson) this.showDocument(text)
    else process.stdout.write(render())
  }

  /** Prints a line of plain text, unless --json asks for the answer. */
  showLine(answer: RestAnswer, line: string): void {
    this.show(answer, () => `${visibleText(line)}\n`)
  }

  /** Prints rendered text, unless --json asks for nothing but answers. */
  showText(rendered: string): void {
    if (!this.#isJson) process.stdout.write(rendered)
  }

  /** Prints a note to standard error, also with --json. */
  note(text: string): void {
    note(text)
  }

  /** Prints a warning to standard error, also with --json. */
  warn(text: string): void {
    note(`warning: ${text}`)
  }

  /**
   * With --json, prints the body of the worker's answer, unless it is empty: its bytes to a program, the same document
   * without control characters to a terminal.
   */
  showDocument(text: string): void {
    if (this.#isJson && text !== '') process.stdout.write(`${process.stdout.isTTY ? visibleJson(text) : text}\n`)
  }
}

function report(error: unknown, name: string | null, session: Session | null): ExitCode {
  const subject = name === null ? '' : `${name}: `
  if (error instanceof RefusedError) {
    session?.showDocument(error.text)
    note(subject + refusalText(error, session?.client.url ?? ''))
  } else if (error instanceof CodedError) note(subject + error.message)
  else throw error
  return exitCodeOf(error)
}

function refusalText({ status, message }: RefusedError, url: string): string {
  const unknownClass = unknownClassText(message)
  if (unknownClass !== null) return `${unknownClass} (${status})`
  // The message of JAX-RS for an unknown path; that of an unknown connector is another one.
  if (message === 'HTTP 404 Not Found')
    return `${message}: ${url} does not have the paths of a Connect worker; check --url`
  const refusals = refusalsOf(message)
  if (refusals === null) return `${message} (${status})`
  return `the service refused the configuration (${status}):\n${renderRefusals(refusals)}`
}

function note(text: string): void {
  process.stderr.write(`tributary connectors: ${visibleText(text)}\n`)
}
