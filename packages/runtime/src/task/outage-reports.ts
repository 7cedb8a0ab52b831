import { OutageBoard, type Clock, type OngoingOutage, type Problem, type Timer } from '@tributary/support'
import type { SecretMask } from '../config/providers/secret-mask.ts'

/** Collects the changes within this time in one report. */
const PAUSE_MS = 200

/** The board of a task, which reports its outages to the worker when they change. Idle without outages. */
export class OutageReports implements Disposable {
  readonly board: OutageBoard
  readonly #clock: Clock
  readonly #report: (outages: readonly OngoingOutage[]) => void
  #timer: Timer | null = null
  #isDisposed = false

  constructor(clock: Clock, report: (outages: readonly OngoingOutage[]) => void) {
    this.#clock = clock
    this.#report = report
    this.board = new OutageBoard(clock, () => this.#onChange())
  }

  #onChange(): void {
    if (this.#timer !== null || this.#isDisposed) return
    this.#timer = this.#clock.after(PAUSE_MS, () => {
      this.#timer = null
      this.#report(this.board.ongoing())
    })
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true
    this.#timer?.cancel()
    this.#timer = null
  }
}

/** Texts of servers may contain values of the configuration. */
export function maskedProblem({ code, message, action }: Problem, mask: SecretMask): Problem {
  return { code, message: mask.text(message), action: action === null ? null : mask.text(action) }
}

export function maskedOutage(outage: OngoingOutage, mask: SecretMask): OngoingOutage {
  return { ...outage, ...maskedProblem(outage, mask), activity: mask.text(outage.activity) }
}
