import { systemClock } from '@tributary/support'
import { type Database, seededRandom } from '@tributary/testkit'
import { BEFORE_SEQUENCE, randomChange, randomTable } from '../schema/oracle/random-ddl.ts'
import { openCorpusRun } from './run-corpus.ts'

export interface SequenceFigures {
  sequences: number
  accepted: number
  refused: number
  /** Definitions compared with the catalogue. */
  compared: number
  /** Tables that were read again. */
  gaps: number
  /** Sequences after which model and catalogue differed. */
  readonly failed: FailedSequence[]
}

export interface FailedSequence {
  readonly seed: number
  readonly statements: readonly string[]
  readonly differences: readonly string[]
}

/** Statements of a sequence that the server accepts, at most, and those that it tries for them. */
const ACCEPTED_MAX = 6
const TRIED_MAX = 14

/**
 * Creates and alters random tables on a server and compares the model with its catalogue after each statement. Each
 * sequence has its own seed, from `seed` on, and repeats with `sequences: 1`.
 *
 * @param onFailed called with each sequence after which they differ
 * @param onProgress called now and then with the figures so far
 */
export async function runSequences(
  server: Database,
  { seed, sequences, deadline = Infinity }: { seed: number; sequences: number; deadline?: number },
  onFailed: (failed: FailedSequence) => void = () => undefined,
  onProgress: (figures: SequenceFigures) => void = () => undefined,
): Promise<SequenceFigures> {
  const figures: SequenceFigures = { sequences: 0, accepted: 0, refused: 0, compared: 0, gaps: 0, failed: [] }
  for (let i = 0; i < sequences && systemClock.now() < deadline; i += PER_SESSION) {
    await using open = await openCorpusRun(server)
    for (let j = i; j < Math.min(i + PER_SESSION, sequences) && systemClock.now() < deadline; j++) {
      const before = open.run.differences.length
      const statements = await runSequence(open.run, server.flavor, seed + j)
      figures.sequences++
      const found = open.run.differences.slice(before)
      if (found.length === 0) continue
      const failed = { seed: seed + j, statements, differences: found }
      figures.failed.push(failed)
      onFailed(failed)
    }
    const { accepted, refused, compared, gaps } = open.run.result
    figures.accepted += accepted
    figures.refused += refused
    figures.compared += compared
    figures.gaps += gaps.length
    onProgress(figures)
  }
  return figures
}

/** A new session and a new model after so many, which bounds their memory. */
const PER_SESSION = 50

async function runSequence(
  run: Awaited<ReturnType<typeof openCorpusRun>>['run'],
  flavor: Database['flavor'],
  seed: number,
): Promise<readonly string[]> {
  const choice = seededRandom(seed)
  for (const sql of BEFORE_SEQUENCE) await run.step(sql, false)
  const accepted: string[] = []
  for (let tried = 0; tried < TRIED_MAX && accepted.length < ACCEPTED_MAX; tried++) {
    const tables = [...run.interpreter.tables].filter(({ id }) => id.database.startsWith('c_random'))
    const sql = tables.length === 0 ? randomTable(choice, flavor) : randomChange(choice, flavor, tables)
    if (await run.step(sql)) accepted.push(sql)
  }
  return accepted
}
