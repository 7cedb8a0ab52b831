import type { ConnectorConfig } from '../../config/connector-config.ts'
import type { Catalogue } from '../catalogue.ts'
import type { FindingCode } from '../finding-definitions.ts'
import type { Finding } from '../finding.ts'
import type { ServerFacts } from '../server-facts.ts'

/** What is checked: a server, and what a connector wants of it. */
export interface Subject {
  readonly facts: ServerFacts
  readonly config: ConnectorConfig
  /** Null: nothing is asked about tables, since no snapshot will be taken. */
  readonly catalogue: Catalogue | null
  /** A privilege that only a snapshot needs is missed only then. */
  readonly needsSnapshot: boolean
  /** How this connector names itself to the server as a replica. */
  readonly replicaUuid: string
}

/** One thing that is looked at. It knows only what was read before, so it cannot fail. */
export interface Check {
  /** What is looked at, for people. */
  readonly title: string
  readonly codes: readonly FindingCode[]
  /** What else is to be known of it; for the reference page. */
  readonly note?: string
  find(subject: Subject): readonly Finding[]
  /** What was found, in a few words, whether it is good or not. */
  describe(subject: Subject): string
}
