import { type Database, type SeededRandom, seededRandom } from '@tributary/testkit'
import { HistoryWriter } from './history-writer.ts'
import { type Outcome, runHistories, type StepSource } from './run-histories.ts'
import { shrink } from './shrink.ts'
import { describeStep, type Step } from './steps.ts'

export interface CampaignOptions {
  readonly database: Database
  readonly seed: number
  /** Histories that share a task: their statements alternate. */
  readonly histories: number
  readonly stepsPerHistory: number
  /** Value of `binlog_row_metadata`; `mixed` changes it between statements. */
  readonly metadata: 'NO_LOG' | 'MINIMAL' | 'FULL' | 'mixed'
  /** How often a definition is not in the binlog, 0 to 1. */
  readonly unlogged: number
}

/** Runs random histories with that seed. The same seed gives the same statements. */
export async function runCampaign(options: CampaignOptions): Promise<Outcome> {
  const { database, metadata } = options
  await database.query(`SET GLOBAL binlog_row_metadata = ${metadata === 'mixed' ? 'MINIMAL' : metadata}`)
  return runHistories(database, new RandomSteps(options))
}

/** Runs the list of steps of an earlier run. */
export async function repeatSteps({ database, metadata }: CampaignOptions, steps: readonly Step[]): Promise<Outcome> {
  await database.query(`SET GLOBAL binlog_row_metadata = ${metadata === 'mixed' ? 'MINIMAL' : metadata}`)
  const list = steps[Symbol.iterator]()
  return runHistories(database, { next: () => list.next().value ?? null, accepted: () => undefined })
}

/** Why an outcome is a defect of the connector; null: it is none. The first word names the kind. */
export function defectOf(outcome: Outcome, { metadata }: CampaignOptions): string | null {
  const { failure, wrong, lost, needless, stopped } = outcome
  if (outcome.testDefect !== null) return `test: ${outcome.testDefect}`
  if (failure !== null) return `failure: ${failure}`
  if (wrong.length > 0) return `wrong: ${wrong[0]}`
  if (lost.length > 0) return `lost: ${lost[0]}`
  const [table] = needless
  if (table !== undefined) return `needless: ${table}: ${stopped.get(table)}`
  // Names in every table map prove each definition.
  const [[first, reason] = []] = stopped
  return metadata === 'FULL' && first !== undefined ? `needless: ${first}: ${reason}` : null
}

/** A text with the defect, its seed and the shortest history that shows it. */
export async function reportDefect(
  options: CampaignOptions,
  outcome: Outcome,
  defect: string,
  triesMax = 80,
): Promise<string> {
  const kind = defect.split(':')[0] ?? ''
  let last = defect
  const fails = async (steps: readonly Step[]): Promise<boolean> => {
    const found = defectOf(await repeatSteps(options, steps), options)
    const isSame = found?.startsWith(`${kind}:`) ?? false
    if (isSame) last = found ?? ''
    return isSame
  }
  const { seed, metadata } = options
  // Nearly always the other histories have no part in it.
  const [history = ''] = /\bh\d+(?=[am]\d)/.exec(defect) ?? []
  const own = outcome.steps.filter((step) => !('sql' in step) || new RegExp(`\\b${history}[am]`).test(step.sql))
  const first = (await fails(own)) ? own : outcome.steps
  const shortest = await shrink(first, fails, triesMax)
  const lines = shortest.map(describeStep).join('\n  ')
  return `seed ${seed}, binlog_row_metadata=${metadata}: ${defect}\nThe shortest history, with ${last}:\n  ${lines}`
}

/** Random steps of several histories in turn, with reads and restarts between them. */
class RandomSteps implements StepSource {
  readonly #random: SeededRandom
  readonly #writers: readonly HistoryWriter[]
  readonly #metadata: CampaignOptions['metadata']
  #left: number
  #last: HistoryWriter | null = null

  constructor({ seed, histories, stepsPerHistory, unlogged, metadata, database: { flavor } }: CampaignOptions) {
    const random = seededRandom(seed)
    this.#random = random
    this.#metadata = metadata
    this.#left = histories * stepsPerHistory
    this.#writers = Array.from(
      { length: histories },
      (_, i) => new HistoryWriter({ flavor, random, unlogged, hasNames: metadata === 'FULL', prefix: `h${i + 1}` }),
    )
  }

  next(): Step | null {
    if (this.#left === 0) return null
    this.#left -= 1
    this.#last = null
    const kind = this.#random()
    if (kind < 0.015) return { kind: 'read' }
    if (kind < 0.025) return { kind: 'restart', events: this.#random.integer(1, 60) }
    if (kind < 0.027) return { kind: 'global', sql: 'FLUSH BINARY LOGS' }
    if (kind < 0.04 && this.#metadata === 'mixed') {
      const value = this.#random.pick(['MINIMAL', 'FULL'])
      return { kind: 'global', sql: `SET GLOBAL binlog_row_metadata = ${value}` }
    }
    this.#last = this.#random.pick(this.#writers)
    return this.#last.next()
  }

  accepted(): void {
    this.#last?.accepted()
  }
}
