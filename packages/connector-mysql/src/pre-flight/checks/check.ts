import type { ConnectorConfig } from '../../config/connector-config.ts'
import type { Catalogue } from '../catalogue.ts'
import type { FindingCode } from '../finding-definitions.ts'
import type { Finding } from '../finding.ts'
import type { ServerFacts } from '../server-facts.ts'
import type { SpoolFacts } from '../spool-facts.ts'

/** A server, and the requirements of a connector. */
export interface Subject {
  readonly facts: ServerFacts
  readonly config: ConnectorConfig
  /** Null when no snapshot is needed: then no tables are checked. */
  readonly catalogue: Catalogue | null
  /** Privileges that only a snapshot needs are checked only when this is true. */
  readonly needsSnapshot: boolean
  /** The UUID with which this connector registers at the server as a replica. */
  readonly replicaUuid: string
  /** Null: the connector has no spool. */
  readonly spoolFacts: SpoolFacts | null
}

/** One check. It uses only facts that were read before, so it cannot fail. */
export interface Check {
  /** The subject of the check, for reports. */
  readonly title: string
  readonly codes: readonly FindingCode[]
  /** Further facts, for the reference page. */
  readonly note?: string
  find(subject: Subject): readonly Finding[]
  /** The facts in a few words, with or without a finding. */
  describe(subject: Subject): string
}
