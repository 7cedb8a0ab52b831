import { HistoryModel, type HistoryOptions, type ModelTable } from './history-model.ts'
import { type Planned, randomDefinition, randomTable } from './random-definitions.ts'
import { randomRows } from './random-rows.ts'
import { randomScenario } from './scenarios.ts'
import { SESSIONS } from './sessions.ts'
import type { Step, TransactionStep } from './steps.ts'

const TRANSACTION_STEPS: readonly TransactionStep['kind'][] = [
  'begin',
  'begin',
  'begin',
  'commit',
  'rollback',
  'savepoint',
  'rollbackTo',
  'xaBegin',
  'xaPrepare',
  'xaPrepare',
]

/** Writes a random history, a step at a time. */
export class HistoryWriter {
  readonly #model: HistoryModel
  /** Steps of a scenario that has begun. */
  #queue: Planned[] = []
  /** What the tables are if the server accepts the last step. */
  #after: readonly ModelTable[] = []

  constructor(options: HistoryOptions) {
    this.#model = new HistoryModel(options)
  }

  next(): Step {
    const { step, tables } = this.#queue.shift() ?? this.#plan()
    this.#after = tables
    return step
  }

  /** The server has accepted the last step. */
  accepted(): void {
    this.#model.tables = this.#after
  }

  #plan(): Planned {
    const model = this.#model
    const { random, tables } = model
    if (tables.length === 0 || (tables.length < 3 && random() < 0.06)) return randomTable(model)
    const kind = random()
    if (kind < 0.55) return { step: randomRows(model), tables }
    if (kind < 0.67)
      return { step: { kind: random.pick(TRANSACTION_STEPS), session: random.integer(0, SESSIONS) }, tables }
    if (kind < 0.7) {
      const [first, ...rest] = randomScenario(model)
      this.#queue = rest
      if (first !== undefined) return first
    }
    return randomDefinition(model)
  }
}
