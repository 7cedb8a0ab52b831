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
  /** Over the environment of this process; undefined unsets. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
  /** Debian package that holds the program, for the error when it is missing. Default: the program's name. */
  readonly packageName?: string
  /** Standard output and error are appended here. */
  readonly logFile: string
  /** Whether the server answers; asked again and again until it is true. */
  readonly isReady: () => Promise<boolean>
  /** Default 60,000: a broker needs 2 s alone, 20 s when the machine is busy with other suites. */
  readonly readyTimeoutMs?: number
}

/** After SIGTERM; MySQL writes its buffers and Kafka hands its partitions over in less. */
const STOP_TIMEOUT_MS = 30_000
const LOOK_EVERY_MS = 25

// The server dies with this process, however that ends (kill -9 too): the kernel sends it SIGKILL when the thread that
// started it is gone (prctl PR_SET_PDEATHSIG, set by util-linux's setpriv, kept over exec). The shell in between closes the
// gap before prctl: if the parent is another one by now, it was too late. A server started in a Node worker thread ends
// with that thread.
const DIE_WITH_PARENT = ['--pdeathsig', 'KILL', '--', 'sh', '-c', '[ "$PPID" = "$0" ] || exit 75; exec "$@"']

/**
 * One process of a server: started and waited for until it answers, ended by its own process id.
 *
 * It leads a session of its own, so that Ctrl-C in a terminal reaches the test process first, and it does not keep the event
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

  /** Resolves when the server answers; SERVER_ENDED_AT_START or SERVER_NOT_READY otherwise, with nothing left running. */
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

  /** Sends the signal; SIGKILL also waits for the end. No error when the process is gone already. */
  async kill(signal: NodeJS.Signals): Promise<void> {
    this.#child.kill(signal)
    if (signal === 'SIGKILL') await this.waitForEnd()
  }

  /** SIGTERM, and the end of it; SIGKILL when that takes too long. A stopped (SIGSTOP) server is woken first. */
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
    // Running is asked after the answer: it may have come from somebody who holds the port that ours could not get.
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
      await sleep(LOOK_EVERY_MS)
      answers = await isReady()
    }
  }
}

/** Asked only after a start that failed: the shell in between says of a missing program what the loader says of a missing library. */
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
