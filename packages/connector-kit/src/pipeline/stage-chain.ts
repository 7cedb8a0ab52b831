import { unreachable } from '@tributary/support'
import type {
  BeginChange,
  Change,
  ChangeStage,
  EndChange,
  Poll,
  ProgressChange,
  RowsChange,
  StatementChange,
} from './change.ts'

type Handler<C> = (change: C, poll: Poll) => Promise<void> | null

/**
 * The stages in their order, sorted by the changes that they handle: an event calls those that look at it, and no
 * other.
 */
export class StageChain {
  readonly #begin: readonly Handler<BeginChange>[]
  readonly #rows: readonly Handler<RowsChange>[]
  readonly #statement: readonly Handler<StatementChange>[]
  readonly #end: readonly Handler<EndChange>[]
  readonly #progress: readonly Handler<ProgressChange>[]
  readonly #time: readonly ((poll: Poll) => void)[]

  constructor(stages: readonly ChangeStage[]) {
    this.#begin = having(stages, 'begin').map((stage) => (change, poll) => stage.begin(change, poll))
    this.#rows = having(stages, 'rows').map((stage) => (change, poll) => stage.rows(change, poll))
    this.#statement = having(stages, 'statement').map((stage) => (change, poll) => stage.statement(change, poll))
    this.#end = having(stages, 'end').map((stage) => (change, poll) => stage.end(change, poll))
    this.#progress = having(stages, 'progress').map((stage) => (change, poll) => stage.progress(change, poll))
    this.#time = having(stages, 'time').map((stage) => (poll) => stage.time(poll))
  }

  handle(change: Change, poll: Poll): Promise<void> | null {
    switch (change.tag) {
      case 'rows':
        return run(this.#rows, change, poll)
      case 'begin':
        return run(this.#begin, change, poll)
      case 'end':
        return run(this.#end, change, poll)
      case 'statement':
        return run(this.#statement, change, poll)
      case 'progress':
        return run(this.#progress, change, poll)
      default:
        return unreachable(change)
    }
  }

  readTime(poll: Poll): void {
    for (const readTime of this.#time) readTime(poll)
  }
}

type Having<M extends keyof ChangeStage> = ChangeStage & Required<Pick<ChangeStage, M>>

function having<M extends keyof ChangeStage>(stages: readonly ChangeStage[], method: M): readonly Having<M>[] {
  return stages.filter((stage): stage is Having<M> => stage[method] !== undefined)
}

function run<C>(handlers: readonly Handler<C>[], change: C, poll: Poll): Promise<void> | null {
  for (let i = 0; i < handlers.length; i++) {
    const waiting = handlers[i]?.(change, poll) ?? null
    if (waiting !== null) return waitAndRun(waiting, handlers.slice(i + 1), change, poll)
  }
  return null
}

async function waitAndRun<C>(
  waiting: Promise<void>,
  rest: readonly Handler<C>[],
  change: C,
  poll: Poll,
): Promise<void> {
  await waiting
  for (const handle of rest) await handle(change, poll)
}
