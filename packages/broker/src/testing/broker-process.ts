import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { startBroker } from '../shell/start-broker.ts'

/** A broker as a process of its own, which a test can kill. */
export class BrokerProcess implements AsyncDisposable {
  readonly #folder: string
  readonly #port: number
  #child: ChildProcess | null = null

  constructor(folder: string, port: number) {
    this.#folder = folder
    this.#port = port
  }

  /** Resolves when the broker serves clients. */
  async start(): Promise<void> {
    const file = fileURLToPath(import.meta.url)
    const child = spawn(process.execPath, [file, this.#folder, String(this.#port)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.#child = child
    await once(child.stdout, 'data')
  }

  /** Ends the process without warning. */
  async kill(): Promise<void> {
    const child = this.#child
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill()
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , path = '', port = ''] = process.argv
  await startBroker({ port: Number(port), storage: { tag: 'folder', path } })
  process.stdout.write('ready\n')
}
