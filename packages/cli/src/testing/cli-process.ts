import { spawn, type ChildProcessByStdio } from 'node:child_process'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { eventually, type ProgramResult } from '@tributary/testkit'

export const mainFile: string = fileURLToPath(new URL('../main.ts', import.meta.url))

type Environment = Readonly<Record<string, string>>

/** What would set a command up by accident. A CI machine says by CI that its output takes no colours. */
const ACCIDENTAL = /^(BOOTSTRAP_SERVERS|CONNECT_.*|NO_COLOR|FORCE_COLOR|NODE_DISABLE_COLORS|CI)$/

/** The environment of a command: this one's with the given variables; what would set it up by accident is `undefined`, so unset. */
export function commandEnvironment(environment: Environment): NodeJS.ProcessEnv {
  const accidents = Object.keys(process.env).filter((name) => ACCIDENTAL.test(name))
  const unset = Object.fromEntries(accidents.map((name) => [name, undefined]))
  return { ...process.env, ...unset, TERM: 'xterm-256color', ...environment }
}

/** A `tributary` command that runs beside the test; killed on disposal. */
export class CliProcess implements AsyncDisposable {
  readonly child: ChildProcessByStdio<null, Readable, Readable>
  readonly #ended: Promise<number>
  #stdout = Buffer.alloc(0)
  #stderr = ''

  constructor(args: readonly string[], environment: Environment) {
    this.child = spawn(process.execPath, [mainFile, ...args], {
      env: commandEnvironment(environment),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.child.stdout.on('data', (bytes: Buffer) => {
      this.#stdout = Buffer.concat([this.#stdout, bytes])
    })
    this.child.stderr.on('data', (bytes: Buffer) => {
      this.#stderr += bytes.toString()
    })
    this.#ended = new Promise((resolve) => this.child.once('close', (code) => resolve(code ?? -1)))
  }

  get stdout(): string {
    return this.#stdout.toString()
  }

  get stderr(): string {
    return this.#stderr
  }

  /** Waits until standard error has the text. */
  async says(text: string): Promise<void> {
    await eventually(`standard error says: ${text}`, () => this.#stderr.includes(text), { timeoutMs: 60_000 })
  }

  /** Its end, with what it printed. */
  async end(): Promise<ProgramResult> {
    const code = await this.#ended
    return { code, stdout: this.stdout, stdoutBytes: this.#stdout, stderr: this.#stderr }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill('SIGKILL')
    await this.#ended
  }
}

/** Runs a command to its end. */
export async function runCli(args: readonly string[], environment: Environment = {}): Promise<ProgramResult> {
  await using command = new CliProcess(args, environment)
  return await command.end()
}
