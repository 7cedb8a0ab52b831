import { spawn, type ChildProcessByStdio } from 'node:child_process'
import assert from 'node:assert/strict'
import { copyFileSync, globSync, mkdirSync } from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { eventually, type ProgramResult, temporaryFolder, type TemporaryFolder } from '@tributary/testkit'

/**
 * Variables that npm passes to scripts and npx would read, and variables that would configure a command by accident.
 */
const ACCIDENTAL = /^(npm_.*|NODE_.*|BOOTSTRAP_SERVERS|CONNECT_.*|TRIBUTARY_URL|NO_COLOR|FORCE_COLOR|CI)$/i

type Environment = Readonly<Record<string, string>>

/**
 * The packed program as a user with the tarball has it: in an empty folder, started with npx by the first Node on the
 * PATH, with a home of its own and without a network for npm.
 */
export class PackedProgram implements AsyncDisposable {
  readonly #node: string
  readonly #tarball: string
  readonly #folder: TemporaryFolder = temporaryFolder('packed')

  constructor(node: string, tarball: string) {
    this.#node = node
    this.#tarball = basename(tarball)
    mkdirSync(this.#home)
    mkdirSync(this.folder)
    copyFileSync(tarball, join(this.folder, this.#tarball))
  }

  get #home(): string {
    return join(this.#folder.path, 'home')
  }

  /** The folder in which its commands run. */
  get folder(): string {
    return join(this.#folder.path, 'empty')
  }

  start(args: readonly string[], environment: Environment = {}): PackedProcess {
    return this.#spawn(['npx', '--offline', '--yes', `./${this.#tarball}`, ...args], environment)
  }

  /** As `start`, but the program itself instead of npx with the program below it. It must have run with npx before. */
  startInstalled(args: readonly string[], environment: Environment = {}): PackedProcess {
    const [program] = globSync('.npm/_npx/*/node_modules/.bin/tributary', { cwd: this.#home })
    assert.ok(program !== undefined, 'npx keeps the installed package')
    return this.#spawn([join(this.#home, program), ...args], environment)
  }

  #spawn(command: readonly string[], environment: Environment): PackedProcess {
    // It is stopped when this process ends in any way.
    const child = spawn('setpriv', ['--pdeathsig', 'TERM', '--', ...command], {
      cwd: this.folder,
      env: { ...this.#environment(), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    return new PackedProcess(child)
  }

  run(args: readonly string[], environment: Environment = {}): Promise<ProgramResult> {
    return this.start(args, environment).end()
  }

  #environment(): NodeJS.ProcessEnv {
    const inherited = Object.entries(process.env).filter(([name]) => !ACCIDENTAL.test(name))
    return {
      ...Object.fromEntries(inherited),
      HOME: this.#home,
      TMPDIR: this.#home,
      PATH: [dirname(this.#node), process.env['PATH']].join(delimiter),
    }
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#folder[Symbol.asyncDispose]()
  }
}

/** A command that runs beside the test; disposal stops it. */
export class PackedProcess implements AsyncDisposable {
  readonly #child: ChildProcessByStdio<null, Readable, Readable>
  readonly #ended: Promise<number>
  #stdout = Buffer.alloc(0)
  #stderr = ''

  constructor(child: ChildProcessByStdio<null, Readable, Readable>) {
    this.#child = child
    child.stdout.on('data', (bytes: Buffer) => {
      this.#stdout = Buffer.concat([this.#stdout, bytes])
    })
    child.stderr.on('data', (bytes: Buffer) => {
      this.#stderr += bytes.toString()
    })
    // `close`: the output has ended, so the program that npx started has exited too.
    this.#ended = new Promise((resolve) => child.once('close', (code) => resolve(code ?? -1)))
  }

  get output(): string {
    return this.#stdout.toString() + this.#stderr
  }

  /** Waits until its output has the text. */
  async untilPrinted(text: string): Promise<void> {
    await eventually(`the packed program prints: ${text}`, () => this.output.includes(text), { timeoutMs: 60_000 })
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  async end(): Promise<ProgramResult> {
    const code = await this.#ended
    return { code, stdout: this.#stdout.toString(), stdoutBytes: this.#stdout, stderr: this.#stderr }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGTERM')
    await this.#ended
  }
}
