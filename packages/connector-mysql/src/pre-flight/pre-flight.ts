import {
  MySqlConnection,
  type MySqlConnectionOptions,
  serverErrno,
  setUpStructureSession,
  type TimeLimit,
} from '@tributary/mysql'
import { CodedError, StoppedError, toError, withTimeout } from '@tributary/support'
import type { ConnectorConfig } from '../config/connector-config.ts'
import { type Catalogue, readCatalogue } from './catalogue.ts'
import { allChecks } from './checks/all-checks.ts'
import { finding, findingOf, type Finding } from './finding.ts'
import { Inquiry } from './inquiry.ts'
import { readFacts, type ServerFacts } from './server-facts.ts'
import { readSpoolFacts } from './spool-facts.ts'

export interface PreFlightOptions {
  readonly config: ConnectorConfig
  readonly connection: MySqlConnectionOptions
  /** Also checks tables and the privileges for a snapshot. */
  readonly needsSnapshot: boolean
  /** The UUID with which the connector registers at the server as a replica. */
  readonly replicaUuid: string
}

/** The result of one check. */
export interface CheckResult {
  readonly title: string
  /** The facts in a few words. */
  readonly found: string
  readonly findings: readonly Finding[]
}

export interface PreFlightResult {
  readonly facts: ServerFacts
  /** Null when no snapshot is needed. */
  readonly catalogue: Catalogue | null
  readonly checks: readonly CheckResult[]
  readonly findings: readonly Finding[]
}

/**
 * Checks a database before the connector starts, and reports all violated requirements at once.
 *
 * It first reads all facts that the checks need; then each check evaluates them. So a check cannot hang or fail, and a
 * finding does not prevent the other checks.
 */
export class PreFlight {
  readonly #options: PreFlightOptions
  #inquiry: Inquiry | null = null

  constructor(options: PreFlightOptions) {
    this.#options = options
  }

  /** What the pre-flight is waiting for. */
  get doing(): string {
    return this.#inquiry?.doing ?? 'connecting to it'
  }

  /**
   * @throws errors of the login and of a lost connection; StoppedError. Findings are in the result.
   */
  async run(signal: AbortSignal): Promise<PreFlightResult> {
    await using connection = await this.#connect(signal)
    // A table that another session has locked must not delay the checks.
    await setUpStructureSession(connection, { lockWaitSeconds: 1, signal })
    const inquiry = new Inquiry(connection, signal)
    this.#inquiry = inquiry
    return await this.#inspect(inquiry)
  }

  async #connect(signal: AbortSignal): Promise<MySqlConnection> {
    const { connection, config } = this.#options
    try {
      // They may activate a role, with which the snapshot reads.
      return await MySqlConnection.open({ ...connection, initialStatements: config.initialStatements }, signal)
    } catch (error) {
      if (serverErrno(error) !== TLS_REQUIRED) throw error
      const [address, mode] = [`${config.host}:${config.port}`, config.properties['database.ssl.mode'] ?? 'disabled']
      // The MariaDB connector has its own spellings.
      const better = mode === 'disable' ? 'trust' : 'required'
      const { code, message, className } = finding('TLS_REQUIRED', { address, mode, better })
      const definition = { className, message: '{message}', action: '', recoverable: true }
      throw new CodedError(code, definition, { message }, error)
    }
  }

  async #inspect(inquiry: Inquiry): Promise<PreFlightResult> {
    const { config, needsSnapshot, replicaUuid } = this.#options
    const facts = await readFacts(inquiry)
    const catalogue = needsSnapshot ? await readCatalogue(inquiry, facts, config) : null
    const spoolFacts = config.spool === null ? null : await readSpoolFacts(config.spool.folder)
    const subject = { facts, catalogue, config, needsSnapshot, replicaUuid, spoolFacts }
    const checks = allChecks.map((check) => ({
      title: check.title,
      found: check.describe(subject),
      findings: check.find(subject),
    }))
    return { facts, catalogue, checks, findings: checks.flatMap(({ findings }) => findings) }
  }
}

/** The result of the checks, or the finding that explains why they could not run. */
export type PreFlightOutcome =
  | { readonly tag: 'checked'; readonly result: PreFlightResult }
  | { readonly tag: 'unchecked'; readonly finding: Finding }

/** Runs the checks under a time limit. */
export async function runWithin(
  preFlight: PreFlight,
  address: string,
  { clock, limitMs }: TimeLimit,
  signal?: AbortSignal,
): Promise<PreFlightOutcome> {
  try {
    return { tag: 'checked', result: await withTimeout(clock, limitMs, (limit) => preFlight.run(limit), signal) }
  } catch (thrown) {
    const error = toError(thrown)
    if (error instanceof CodedError) return { tag: 'unchecked', finding: findingOf(error) }
    if (!(error instanceof StoppedError) || signal?.aborted === true) throw error
    const late = finding('PRE_FLIGHT_LATE', { address, seconds: limitMs / 1000, doing: preFlight.doing })
    return { tag: 'unchecked', finding: late }
  }
}

/** ER_SECURE_TRANSPORT_REQUIRED of MySQL. MariaDB reports “access denied” (1045), as for a wrong password. */
const TLS_REQUIRED = 3159
