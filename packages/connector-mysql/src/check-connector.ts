import type { ConfigMap } from '@tributary/connect-api'
import { CodedError, silentLogger, systemClock, type Clock } from '@tributary/support'
import { connectorDefinition, parseConfig } from './config/connector-definition.ts'
import { currentConfig } from './config/current-config.ts'
import { notedFields, notedProperties } from './noted-properties.ts'
import { refusedProperties } from './config/later-keys.ts'
import { takesSnapshot } from './config/snapshot-mode.ts'
import { connectionOptions } from './connection-options.ts'
import { type ConnectorKind, mariadbKind, mysqlKind } from './connector-kind.ts'
import type { TableEstimate } from './pre-flight/catalogue.ts'
import { finding, findingOf, type Finding } from './pre-flight/finding.ts'
import { type CheckResult, PreFlight, type PreFlightOutcome, runWithin } from './pre-flight/pre-flight.ts'
import { replicaUuid } from './replica-uuid.ts'
import { estimateSnapshot, type SnapshotEstimate } from './pre-flight/snapshot-estimate.ts'

export interface CheckOptions {
  readonly signal?: AbortSignal
  /** Limit for all answers of the database. Default: 30 s. */
  readonly limitMs?: number
  readonly clock?: Clock
  /** Refusals of the runtime, by property. */
  readonly refusals?: ReadonlyMap<string, readonly string[]>
  /** False when the connector continues from a stored offset. Default: true. */
  readonly isNew?: boolean
  /** False: only the configuration is checked. Default: true. */
  readonly asksServer?: boolean
}

/** The server that answered. */
export interface CheckedServer {
  /** host:port */
  readonly address: string
  readonly flavor: 'mysql' | 'mariadb'
  /** As the server reports it. */
  readonly version: string
}

/** The result of a check. */
export interface CheckReport {
  /** Null when the login failed. */
  readonly server: CheckedServer | null
  /** Errors and warnings of configuration and database, in the order of the checks. */
  readonly findings: readonly Finding[]
  /** Every check of the database with its result; empty without a login. */
  readonly checks: readonly CheckResult[]
  /** The captured tables, largest first. */
  readonly tables: readonly TableEstimate[]
  /** Null when no snapshot is needed, or the tables are unknown. */
  readonly snapshot: SnapshotEstimate | null
}

/**
 * Runs all checks of a registration and of the start of a task, without registering the connector. The report has every
 * finding.
 *
 * @param config with its references resolved: findings may repeat values of it, but never passwords
 * @throws StoppedError when the signal fires
 */
export async function checkConnector(config: ConfigMap, options: CheckOptions = {}): Promise<CheckReport> {
  const kind = kindOf(config['connector.class'])
  const invalid = [...invalidProperties(kind, config), ...refusals(kind, config, options.refusals)]
  const fields = options.isNew === false ? [] : notedFields(kind, config)
  const noted = [...notedProperties(kind, config), ...fields].map(({ name, code, reason }) =>
    finding(code, { property: name, reason }, { property: name }),
  )
  // The database is checked all the same, as long as its address is known.
  const isInvalid = connectorDefinition(kind)
    .validate(config)
    .some(({ errors }) => errors.length > 0)
  if (isInvalid || options.asksServer === false) return { ...NOTHING, findings: [...invalid, ...noted] }
  const outcome = await inspect(kind, config, options)
  if (outcome.tag === 'unchecked') return { ...NOTHING, findings: [...invalid, outcome.finding, ...noted] }
  const { facts, catalogue, checks, findings } = outcome.result
  const tables = (catalogue?.captured ?? []).toSorted((a, b) => b.bytes - a.bytes)
  return {
    server: { address: facts.address, flavor: facts.flavor.name, version: facts.info.version },
    findings: [...invalid, ...findings, ...noted],
    checks,
    tables,
    snapshot: catalogue === null ? null : estimateSnapshot(tables),
  }
}

const NOTHING: Omit<CheckReport, 'findings'> = { server: null, checks: [], tables: [], snapshot: null }

/** The pre-flight of a configuration whose values are valid one by one. */
export async function inspect(kind: ConnectorKind, config: ConfigMap, how: CheckOptions): Promise<PreFlightOutcome> {
  const { clock = systemClock, limitMs = CHECK_LIMIT_MS, signal, isNew = true } = how
  const typed = parseConfig(kind, config)
  try {
    const options = await connectionOptions(typed, silentLogger)
    const connectTimeoutMs = Math.min(options.connectTimeoutMs, limitMs * LOGIN_SHARE)
    const connection = { ...options, connectTimeoutMs }
    const uuid = replicaUuid(config['name'] ?? '', typed)
    const needsSnapshot = takesSnapshot(typed.snapshotMode, isNew ? null : { isSnapshotUnfinished: false })
    const preFlight = new PreFlight({ config: typed, connection, needsSnapshot, replicaUuid: uuid })
    return await runWithin(preFlight, `${typed.host}:${typed.port}`, { clock, limitMs }, signal)
  } catch (error) {
    if (error instanceof CodedError) return { tag: 'unchecked', finding: findingOf(error) }
    throw error
  }
}

function invalidProperties(kind: ConnectorKind, config: ConfigMap): readonly Finding[] {
  return connectorDefinition(kind)
    .validate(config)
    .flatMap(({ name, errors }) => errors.map((reason) => invalid(name, reason)))
}

/** Refusals of this version, and those of the runtime about its own properties. */
function refusals(
  { sslModes }: ConnectorKind,
  config: ConfigMap,
  ofRuntime: CheckOptions['refusals'] = new Map(),
): readonly Finding[] {
  return [...Object.entries(refusedProperties(currentConfig(sslModes, config).config)), ...ofRuntime].flatMap(
    ([name, errors]) => errors.map((text) => invalid(name, text)),
  )
}

function invalid(property: string, reason: string): Finding {
  return finding('CONFIG_INVALID', { reason }, { property })
}

/** MySQL for any other class: the runtime refuses a class that it does not have. */
function kindOf(className: string | undefined): ConnectorKind {
  return /mariadb/i.test(className ?? '') ? mariadbKind : mysqlKind
}

/** A REST client waits 90 s for a registration; a database answers such simple statements within a second. */
const CHECK_LIMIT_MS = 30_000
/** The error of a login that does not end explains more than that the checks were late. */
const LOGIN_SHARE = 0.8
