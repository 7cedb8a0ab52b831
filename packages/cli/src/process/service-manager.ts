import { describeError, visibleText, type Clock, type Logger } from '@tributary/support'
import { sendToManager, type SendFields } from './notify-command.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** What the service manager is informed about while the worker runs. */
export interface Observation {
  /** One line for `systemctl status`. */
  readonly summary: string
  /** The tasks whose threads have not answered for the limit. */
  readonly blockedTasks: readonly string[]
}

export interface ServiceManagerOptions {
  readonly environment: Environment
  readonly logger: Logger
  readonly clock: Clock
  /** Default: `systemd-notify`. */
  readonly send?: SendFields
}

/**
 * Reports the state of the process to systemd (sd_notify(3), for `Type=notify`): that it is ready, that it stops, what
 * it does (`systemctl status`), and at half of `WatchdogSec=` that it is healthy. Does nothing without `NOTIFY_SOCKET`.
 *
 * The reports of the watchdog come from the event loop of the main thread, so they cease when it is blocked; and they
 * are withheld while the thread of a running task has not answered for the time of `WatchdogSec=`. systemd then ends
 * the process, and starts it again.
 *
 *     status* → ready → status and watchdog, repeatedly → stopping
 */
export class ServiceManager {
  readonly #options: ServiceManagerOptions
  readonly #send: SendFields | null
  /** Null without a watchdog. */
  readonly #watchdogMs: number | null
  /** Fields that wait until the message before them is delivered; a later value replaces an earlier one. */
  #waiting = new Map<string, string>()
  #delivery: Promise<void> | null = null
  #status = ''
  #blocked = ''
  #isStopping = false

  constructor(options: ServiceManagerOptions) {
    const { environment, send = sendToManager } = options
    this.#options = options
    this.#send = (environment['NOTIFY_SOCKET'] ?? '') === '' ? null : send
    this.#watchdogMs = watchdogMsOf(environment)
  }

  /** What the worker does now. One line. */
  status(text: string): void {
    if (text === this.#status || this.#isStopping) return
    this.#status = text
    // A line break would begin another field.
    this.#notify({ STATUS: visibleText(text).replaceAll('\n', ' ') })
  }

  /**
   * The worker handles requests.
   *
   * @param observe called every half `WatchdogSec=`, or else every 30 s, with the age from which on a task is blocked
   */
  ready(observe: (limitMs: number) => Promise<Observation>): void {
    if (this.#send === null || this.#isStopping) return
    this.#notify({ READY: '1' })
    void this.#observe(observe)
  }

  /** The worker stops. */
  stopping(): void {
    if (this.#isStopping) return
    this.status('Stopping: storing the offsets of acknowledged records')
    this.#isStopping = true
    this.#notify({ STOPPING: '1' })
  }

  /** Resolves when everything is delivered, or could not be. */
  async delivered(): Promise<void> {
    await this.#delivery
  }

  async #observe(observe: (limitMs: number) => Promise<Observation>): Promise<void> {
    const limitMs = this.#watchdogMs ?? STATUS_INTERVAL_MS
    try {
      const { summary, blockedTasks } = await observe(limitMs)
      if (this.#isStopping) return
      this.#reportBlocked(blockedTasks, limitMs)
      this.status(this.#blocked === '' ? summary : `${summary}. Blocked: ${this.#blocked}`)
      if (this.#watchdogMs !== null && this.#blocked === '') this.#notify({ WATCHDOG: '1' })
    } catch (error) {
      // A worker that cannot be observed is not healthy either.
      this.#options.logger.error(
        `The condition of the worker cannot be determined: ${describeError(error)}. The watchdog of systemd gets no report`,
      )
    }
    if (this.#isStopping) return
    this.#options.clock.after(limitMs / 2, () => void this.#observe(observe))
  }

  #reportBlocked(tasks: readonly string[], limitMs: number): void {
    const blocked = tasks.join(', ')
    if (blocked === this.#blocked) return
    this.#blocked = blocked
    const { logger } = this.#options
    if (blocked === '') logger.info('The threads of all tasks answer again')
    else {
      const consequence =
        this.#watchdogMs === null
          ? 'Restart the connector; if it does not stop, restart the worker'
          : 'The watchdog of systemd gets no report until they do, and will restart the worker'
      logger.error(`The threads of these tasks have not answered for ${limitMs / 1_000} s: ${blocked}. ${consequence}`)
    }
  }

  #notify(fields: Readonly<Record<string, string>>): void {
    if (this.#send === null) return
    for (const [name, value] of Object.entries(fields)) this.#waiting.set(name, value)
    this.#delivery ??= this.#deliver(this.#send).finally(() => {
      this.#delivery = null
    })
  }

  async #deliver(send: SendFields): Promise<void> {
    // Fields that are set in the same turn share a message.
    await Promise.resolve()
    while (this.#waiting.size > 0) {
      const fields = this.#waiting
      this.#waiting = new Map()
      const failure = await send(this.#options.environment, fields)
      if (failure !== null)
        this.#options.logger.warn(`systemd was not notified (${[...fields.keys()].join()}): ${failure}`)
    }
  }
}

/** How often the status is compared when no watchdog is set. */
const STATUS_INTERVAL_MS = 30_000

/** sd_watchdog_enabled(3): microseconds, for the process whose id is WATCHDOG_PID. */
function watchdogMsOf(environment: Environment): number | null {
  const { WATCHDOG_USEC: micros = '', WATCHDOG_PID: pid = String(process.pid) } = environment
  const ms = Number(micros) / 1_000
  return pid === String(process.pid) && Number.isFinite(ms) && ms > 0 ? ms : null
}
