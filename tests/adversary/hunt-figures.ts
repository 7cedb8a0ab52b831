import type { CampaignOptions } from './campaign-options.ts'
import type { Outcome } from './run-histories.ts'

/** Adds up what the runs of a hunt have found. */
export class HuntFigures {
  histories = 0
  defects = 0
  #statements = 0
  #refused = 0
  #events = 0
  #wrong = 0
  #lost = 0
  #needless = 0
  #withheld = 0
  #states = 0
  #stopped = 0
  readonly #reasons = new Map<string, number>()
  readonly #started = performance.now()

  add({ histories }: CampaignOptions, outcome: Outcome, defect: string | null): void {
    this.histories += histories
    this.#statements += outcome.statements
    this.#refused += outcome.refused
    this.#events += outcome.right
    this.#wrong += outcome.wrong.length + outcome.state.length
    this.#lost += outcome.failure === null ? outcome.lost.length : 0
    this.#needless += outcome.needless.length
    this.#withheld += outcome.withheld
    this.#states += outcome.statesCompared
    this.#stopped += outcome.stopped.size
    if (defect !== null) this.defects += 1
    for (const reason of outcome.stopped.values()) this.#count(reason)
    if (outcome.failure !== null) this.#count(`The task failed: ${outcome.failure}`)
  }

  report(options: object): string {
    const totals = {
      histories: this.histories,
      statements: this.#statements,
      refused: this.#refused,
      events: this.#events,
      wrong: this.#wrong,
      lost: this.#lost,
      needless: this.#needless,
      withheld: this.#withheld,
      tablesComparedWithReplica: this.#states,
      tablesStopped: this.#stopped,
      defects: this.defects,
      seconds: Math.round((performance.now() - this.#started) / 1000),
    }
    const reasons = [...this.#reasons].map(([reason, count]) => `${count} × ${reason}`)
    return [JSON.stringify({ ...options, ...totals }), ...reasons].join('\n')
  }

  #count(reason: string): void {
    const text = reason.replaceAll(/h\d+[a-z]\d+[é$x-]*|adversary_?\w*|\d+/g, '…').slice(0, 240)
    this.#reasons.set(text, (this.#reasons.get(text) ?? 0) + 1)
  }
}
