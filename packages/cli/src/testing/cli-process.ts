import assert from 'node:assert/strict'
import { spawn, type ChildProcessByStdio } from 'node:child_process'
import type { Readable } from 'node:stream'
import { eventually, type ProgramResult, useProgram } from '@tributary/testkit'

export const mainFile: string = await useProgram()

type Environment = Readonly<Record<string, string>>

/** Variables that would change a command's behaviour. Node takes CI as a sign that output has no colours. */
const INHERITED = /^(BOOTSTRAP_SERVERS|CONNECT_.*|NO_COLOR|FORCE_COLOR|NODE_DISABLE_COLORS|CI)$/

/** The environment of this process without those variables, and with the given ones. */
export function commandEnvironment(environment: Environment): NodeJS.ProcessEnv {
  const removed = Object.keys(process.env).filter((name) => INHERITED.test(name))
  const unset = Object.fromEntries(removed.map((name) => [name, undefined]))
  return { ...process.env, ...unset, TERM: 'xterm-256color', ...environment }
}

/** A running `tributary` command; killed on disposal. */
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

  /** Waits until standard output contains the text. */
  async prints(text: string): Promise<void> {
    const hasEnded = (): boolean => this.child.exitCode !== null
    await eventually(`standard output contains: ${text}`, () => this.stdout.includes(text) || hasEnded(), {
      timeoutMs: 60_000,
    })
    assert.ok(this.stdout.includes(text), `${this.stdout}\n${this.#stderr}`)
  }

  /** Waits until standard error contains the text. */
  async printsError(text: string): Promise<void> {
    await eventually(`standard error contains: ${text}`, () => this.#stderr.includes(text), { timeoutMs: 60_000 })
  }

  /** Waits for the end of the command, and returns its exit code and output. */
  async end(): Promise<ProgramResult> {
    const code = await this.#ended
    return { code, stdout: this.stdout, stdoutBytes: this.#stdout, stderr: this.#stderr }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill('SIGKILL')
    await this.#ended
  }
}

/** Runs a command until it ends. */
export async function runCli(args: readonly string[], environment: Environment = {}): Promise<ProgramResult> {
  await using command = new CliProcess(args, environment)
  return await command.end()
}
