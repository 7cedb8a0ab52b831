import type { CampaignOptions } from './campaign-options.ts'
import { RandomSteps } from './random-steps.ts'
import { type Outcome, runHistories, type RunOptions } from './run-histories.ts'
import { shrink } from './shrink.ts'
import { describeStep, sqlOf, type Step } from './steps.ts'
import { historyOf, isVersioned, tablesIn } from './table-names.ts'

/** Runs random histories with that seed. The same seed gives the same statements. */
export async function runCampaign(options: CampaignOptions): Promise<Outcome> {
  return runHistories(runOptions(options), new RandomSteps(options))
}

/** Runs the list of steps of an earlier run. */
export async function repeatSteps(options: CampaignOptions, steps: readonly Step[]): Promise<Outcome> {
  const list = steps[Symbol.iterator]()
  return runHistories(runOptions(options), { next: () => list.next().value ?? null, accepted: () => undefined })
}

export function runOptions({ database, replica, metadata, seed, failureMode }: CampaignOptions): RunOptions {
  // A quarter of the runs has many small binlog files.
  const size = seed % 4 === 0 ? 8192 : 1024 ** 3
  const globals = [
    `SET GLOBAL binlog_row_metadata = ${metadata === 'mixed' ? 'MINIMAL' : metadata}`,
    `SET GLOBAL max_binlog_size = ${size}`,
  ]
  return { database, replica, globals, more: { 'event.processing.failure.handling.mode': failureMode } }
}

/** Why an outcome is a defect of the connector; null: it is not one. The first word names the kind. */
export function defectOf(outcome: Outcome, { metadata }: CampaignOptions): string | null {
  const { failure, wrong, lost, needless, stopped, state } = outcome
  if (outcome.testDefect !== null) return `test: ${outcome.testDefect}`
  if (wrong.length > 0) return `wrong: ${wrong[0]}`
  if (failure !== null) return namesPartialTable(failure, outcome) ? null : `failure: ${failure}`
  if (lost.length > 0) return `lost: ${lost[0]}`
  const [table] = needless
  if (table !== undefined) return `needless: ${table}: ${stopped.get(table)}`
  if (state.length > 0) return `state: ${state[0]}`
  // Names in every table map prove each definition, but for system versioning.
  const [[first, reason] = []] = [...stopped].filter(([name]) => !isVersioned(name))
  return metadata === 'FULL' && first !== undefined ? `needless: ${first}: ${reason}` : null
}

/** The error that a row without all columns demands. */
function namesPartialTable(failure: string, { partial }: Outcome): boolean {
  const [, table = ''] = /^ROW_PARTIAL: The row of (\S+) at /.exec(failure) ?? []
  return partial.has(table)
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
  const history = historyOf(tablesIn(defect)[0] ?? '')
  const own = outcome.steps.filter((step) => {
    const sql = sqlOf(step)
    return sql === null || tablesIn(sql).some((table) => historyOf(table) === history)
  })
  const first = (await fails(own)) ? own : outcome.steps
  const shortest = await shrink(first, fails, triesMax)
  const lines = shortest.map(describeStep).join('\n  ')
  return `seed ${seed}, binlog_row_metadata=${metadata}: ${defect}\nThe shortest history, with ${last}:\n  ${lines}`
}
