import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from '@tributary/support'
import { testkitErrors } from '../errors.ts'
import { programEnvironment } from './program-environment.ts'
import { lastLines } from './run-program.ts'

export interface ServerProcessOptions {
  /** For messages: `Kafka broker 1`. */
  readonly name: string
  readonly program: string
  readonly args: readonly string[]
  /** Added to the environment of this process; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
  /** The Debian package that contains the program, for the error when it is missing. Default: the program's name. */
  readonly packageName?: string
  /** Standard output and standard error are appended to this file. */
  readonly logFile: string
  /** Whether the server answers; called repeatedly until it returns true. */
  readonly isReady: () => Promise<boolean>
  /** Default 60,000: a broker starts in 2 s on an idle machine, and in 20 s on one that is busy with other suites. */
  readonly readyTimeoutMs?: number
}

/** Time from SIGTERM to SIGKILL. MySQL needs less to flush its buffers, and Kafka to move its partitions. */
const STOP_TIMEOUT_MS = 30_000
const READY_POLL_MS = 25

// The server ends with this process, even after kill -9: the kernel sends it SIGKILL when the thread that started it
// ends (prctl PR_SET_PDEATHSIG, which util-linux's setpriv sets and exec keeps). If this process ends before setpriv
// has called prctl, the kernel sends nothing; the shell detects that case by its changed parent. A server that a worker
// thread of Node starts ends with that thread.
const DIE_WITH_PARENT = ['--pdeathsig', 'KILL', '--', 'sh', '-c', '[ "$PPID" = "$0" ] || exit 75; exec "$@"']

/**
 * The process of a server.
 *
 * It has its own session, so that Ctrl-C in a terminal reaches only the test process, and it does not keep the event
 * loop of this process alive.
 */
export class ServerProcess {
  readonly pid: number
  readonly #name: string
  readonly #child: ChildProcess
  readonly #ended: Promise<void>

  private constructor(name: string, child: ChildProcess) {
    assert(child.pid !== undefined, 'a started process has an id')
    this.pid = child.pid
    this.#name = name
    this.#child = child
    this.#ended = new Promise((resolve) => child.once('exit', () => resolve()))
    child.unref()
  }

  /**
   * Starts the server and waits until it answers. After an error nothing is left running.
   *
   * @throws SERVER_ENDED_AT_START, SERVER_NOT_READY, PROGRAM_MISSING
   */
  static async start(options: ServerProcessOptions): Promise<ServerProcess> {
    const server = new ServerProcess(options.name, await spawnServer(options))
    try {
      await server.#waitUntilReady(options)
    } catch (error) {
      await server.kill('SIGKILL')
      throw error
    }
    return server
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** Sends the signal. For SIGKILL, also waits for the end. No error if the process has ended already. */
  async kill(signal: NodeJS.Signals): Promise<void> {
    this.#child.kill(signal)
    if (signal === 'SIGKILL') await this.waitForEnd()
  }

  /**
   * Sends SIGTERM and waits for the end; sends SIGKILL if that takes too long. Resumes a server that SIGSTOP has
   * suspended.
   */
  async stop(): Promise<void> {
    this.#child.kill('SIGCONT')
    this.#child.kill('SIGTERM')
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), STOP_TIMEOUT_MS)
    await this.waitForEnd()
    clearTimeout(timer)
  }

  async waitForEnd(): Promise<void> {
    if (!this.isRunning) return
    this.#child.ref()
    await this.#ended
  }

  async #waitUntilReady(options: ServerProcessOptions): Promise<void> {
    const { isReady, logFile, program, packageName = program, readyTimeoutMs = 60_000 } = options
    const end = performance.now() + readyTimeoutMs
    let answers = false
    // The check of isRunning follows the answer, which may have come from another program on the same port.
    while (!(answers && this.isRunning)) {
      const server = this.#name
      if (!this.isRunning) {
        if (isMissing(program)) {
          throw testkitErrors.PROGRAM_MISSING({ program, purpose: server, package: packageName })
        }
        const outcome = this.#child.signalCode ?? `exit code ${this.#child.exitCode}`
        throw testkitErrors.SERVER_ENDED_AT_START({ server, outcome, lastLines: await readLastLines(logFile) })
      }
      if (performance.now() > end) {
        const timeoutMs = readyTimeoutMs
        throw testkitErrors.SERVER_NOT_READY({ server, timeoutMs, lastLines: await readLastLines(logFile) })
      }
      await sleep(READY_POLL_MS)
      answers = await isReady()
    }
  }
}

/**
 * Checked only after a failed start, because the shell's exit code is the same for a missing program and a missing
 * library.
 */
function isMissing(program: string): boolean {
  if (program.includes('/')) return !existsSync(program)
  return !(process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)))
}

async function readLastLines(logFile: string): Promise<string> {
  return lastLines(await readFile(logFile, 'utf8'))
}

function spawnServer({ program, args, env, cwd, logFile }: ServerProcessOptions): Promise<ChildProcess> {
  const log = openSync(logFile, 'a')
  const wrapped = [...DIE_WITH_PARENT, String(process.pid), program, ...args]
  const child = spawn('setpriv', wrapped, {
    cwd,
    env: programEnvironment(env),
    stdio: ['ignore', log, log],
    detached: true,
  })
  closeSync(log)
  return new Promise((resolve, reject) => {
    child.once('spawn', () => resolve(child))
    child.once('error', (error) =>
      reject(
        testkitErrors.PROGRAM_MISSING(
          { program: 'setpriv', purpose: 'every server of the tests', package: 'util-linux' },
          error,
        ),
      ),
    )
  })
}
