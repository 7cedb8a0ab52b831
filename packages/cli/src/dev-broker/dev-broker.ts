import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker as Thread } from 'node:worker_threads'
import { CodedError, doneOr, StoppedError, toError } from '@tributary/support'
import { cliErrors } from '../errors.ts'
import { type BrokerReport, type BrokerThreadData, CLOSE } from './broker-messages.ts'

export interface DevBrokerOptions {
  /** Entry file of its thread. */
  readonly threadUrl: URL
  /** 0: a free port. */
  readonly port: number
  /** Where its topics are kept; null: in a temporary folder, which `close` removes. */
  readonly folder: string | null
  /** Gets the lines that it logs, as JSON. */
  readonly onLogLine?: (line: string) => void
}

/**
 * The development broker on a thread of its own: its writes to files are synchronous, and the main thread serves the
 * REST interface and the group meanwhile (docs/adr/0083-the-development-broker-in-the-program.md).
 */
export class DevBroker implements AsyncDisposable {
  readonly #thread: Thread
  readonly #temporary: string | null
  readonly #failure = new AbortController()
  #address = ''
  #closed: Promise<void> | null = null

  private constructor(thread: Thread, temporary: string | null) {
    this.#thread = thread
    this.#temporary = temporary
    thread.on('error', (error) => this.#fail(toError(error).message))
    thread.on('exit', () => this.#fail('its thread has ended'))
  }

  /**
   * Resolves when the broker serves clients.
   *
   * @throws the errors of `startBroker`, DEV_BROKER_FAILED, or StoppedError when the signal fires
   */
  static async start(options: DevBrokerOptions, signal: AbortSignal): Promise<DevBroker> {
    const temporary = options.folder === null ? mkdtempSync(join(tmpdir(), 'tributary-dev-')) : null
    const data: BrokerThreadData = { port: options.port, folder: join(options.folder ?? temporary ?? '', 'broker') }
    const thread = new Thread(options.threadUrl, { name: 'development broker', workerData: data })
    thread.on('message', (report: BrokerReport) => {
      if (report.tag === 'line') options.onLogLine?.(report.line)
    })
    // It listens from now on: the thread may fail as soon as it is ready.
    const broker = new DevBroker(thread, temporary)
    try {
      broker.#address = await doneOr(addressOf(thread), signal)
      return broker
    } catch (error) {
      await thread.terminate()
      remove(temporary)
      throw error
    }
  }

  /** `host:port`. */
  get bootstrapServers(): string {
    return this.#address
  }

  /** Fires when the broker has failed; its reason is the error. */
  get failed(): AbortSignal {
    return this.#failure.signal
  }

  /** The error of the broker if that is why something was stopped; otherwise the error itself. */
  causeOf(error: unknown): unknown {
    return error instanceof StoppedError && this.failed.aborted ? toError(this.failed.reason) : error
  }

  /** Closes the broker, and removes its folder if that is temporary. Idempotent. */
  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    if (!this.failed.aborted) {
      const ended = new Promise((resolve) => this.#thread.once('exit', resolve))
      this.#thread.postMessage(CLOSE)
      await ended
    }
    remove(this.#temporary)
  }

  #fail(reason: string): void {
    if (this.#closed !== null || this.failed.aborted) return
    this.#failure.abort(cliErrors.DEV_BROKER_FAILED({ reason }))
  }
}

function addressOf(thread: Thread): Promise<string> {
  return new Promise((resolve, reject) => {
    thread.on('message', (report: BrokerReport) => {
      if (report.tag === 'ready') resolve(report.bootstrapServers)
      else if (report.tag === 'refused') reject(new CodedError(report.code, report, {}))
    })
    thread.once('error', (error) => reject(cliErrors.DEV_BROKER_FAILED({ reason: toError(error).message }, error)))
    thread.once('exit', () => reject(cliErrors.DEV_BROKER_FAILED({ reason: 'its thread has ended' })))
  })
}

function remove(folder: string | null): void {
  if (folder !== null) rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
}
