import type { DatabaseServer } from '@tributary/testkit'
import type { Replica } from './replica.ts'

export interface CampaignOptions {
  readonly database: DatabaseServer
  /** Null: tables are not compared at the end. */
  readonly replica: Replica | null
  readonly seed: number
  /** Histories that share a task: their statements alternate. */
  readonly histories: number
  readonly stepsPerHistory: number
  /** Value of `binlog_row_metadata`; `mixed` changes it between statements. */
  readonly metadata: 'NO_LOG' | 'MINIMAL' | 'FULL' | 'mixed'
  /** How often a definition is not in the binlog, 0 to 1. */
  readonly unlogged: number
  /** How often a session writes rows with another `binlog_row_image` than FULL, 0 to 1. */
  readonly partial: number
  /** `event.processing.failure.handling.mode` */
  readonly failureMode: 'fail' | 'warn'
  /** How often the server restarts during the run. */
  readonly serverRestarts: number
}
