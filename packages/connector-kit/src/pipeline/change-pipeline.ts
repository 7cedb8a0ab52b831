import type { PollResult } from '@tributary/connect-api'
import type { Clock } from '@tributary/support'
import type { ChangeSource, ChangeStage, SideSource } from './change.ts'
import { PollScope } from './poll-scope.ts'
import { StageChain } from './stage-chain.ts'

/** Creates each source when the one before it has ended: a stream starts where the snapshot ended. */
export interface SourceSequence {
  /** A snapshot, or the stream itself when no snapshot is needed. */
  readonly first: ChangeSource
  /** The source after the first; null when there is none. Called when the first is over and closed. */
  next(): ChangeSource | null
}

export interface ChangePipelineOptions {
  readonly sources: SourceSequence
  /** In the order in which each change passes them. */
  readonly stages: readonly ChangeStage[]
  readonly sideSources?: readonly SideSource[]
  readonly clock: Clock
}

/**
 * Runs the sources of a connector one after the other, and their changes through the stages; `change.ts` has the
 * contract.
 */
export class ChangePipeline {
  readonly #sources: SourceSequence
  readonly #sideSources: readonly SideSource[]
  readonly #stages: StageChain
  readonly #clock: Clock
  #source: ChangeSource | null
  #scope: PollScope | null = null
  #isInTransaction = false

  constructor({ sources, stages, sideSources = [], clock }: ChangePipelineOptions) {
    this.#sources = sources
    this.#source = sources.first
    this.#sideSources = sideSources
    this.#stages = new StageChain(sideSources.length === 0 ? stages : [this.#transactionStage(), ...stages])
    this.#clock = clock
  }

  /** Rejects with what the current source throws. Values of the records are valid until the next call. */
  async poll(signal: AbortSignal): Promise<PollResult> {
    this.#scope?.end()
    const scope = new PollScope({ stages: this.#stages, clock: this.#clock, signal })
    this.#scope = scope
    for (const side of this.#sideSources) {
      const work = side.poll(scope, this.#isInTransaction)
      if (work !== null && (await work) === 'alone') return scope.result(true)
    }
    const source = this.#source
    if (source === null) return scope.result(false)
    const state = await source.poll(scope)
    if (state === 'over') {
      await source.close()
      this.#source = this.#sources.next()
    }
    return scope.result(state === 'more')
  }

  #transactionStage(): ChangeStage {
    const set = (isInTransaction: boolean): null => {
      this.#isInTransaction = isInTransaction
      return null
    }
    return { begin: () => set(true), end: () => set(false) }
  }

  async close(): Promise<void> {
    await this.#source?.close()
  }
}
