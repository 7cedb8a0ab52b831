import { CodedError } from '@tributary/support'
import { type FindingCode, findingDefinitions, type Severity } from './finding-definitions.ts'

/** A violated requirement of the connector, as texts for reports. */
export interface Finding {
  readonly severity: Severity
  /** Stable; the reference page of the checks is ordered by it. */
  readonly code: string
  /** The property of the connector that it belongs to. */
  readonly property: string
  /** The problem, its place and its remedy. */
  readonly message: string
  /** SQL that an administrator runs to fix the problem; null when no statement can. */
  readonly statement: string | null
  /** Class name shown before the message in a task's trace. */
  readonly className: string
}

export interface FindingOptions {
  /** Default: that of the definition. */
  readonly severity?: Severity
  readonly property?: string
}

/** @param values of the placeholders of message, action and statement */
export function finding(
  code: FindingCode,
  values: Readonly<Record<string, string | number>>,
  options: FindingOptions = {},
): Finding {
  const definition = findingDefinitions[code]
  const statement =
    definition.statement?.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole)) ?? null
  const { message, name } = new CodedError(code, definition, { ...values, statement })
  return {
    severity: options.severity ?? definition.severity,
    code,
    property: options.property ?? definition.property,
    message,
    statement,
    className: name,
  }
}

/** The finding for an error that occurred during the checks. */
export function findingOf(error: CodedError): Finding {
  return {
    severity: 'error',
    code: error.code,
    property: PROPERTIES[error.code] ?? 'database.hostname',
    message: error.message,
    statement: null,
    className: error.name,
  }
}

/** The property for errors of other modules; Debezium reports all login errors on the host name. */
const PROPERTIES: Readonly<Record<string, string>> = {
  MYSQL_TLS_FAILED: 'database.ssl.mode',
  TLS_REQUIRED: findingDefinitions.TLS_REQUIRED.property,
  KEYSTORE_FORM: 'database.ssl.keystore',
  KEYSTORE_UNREADABLE: 'database.ssl.keystore',
}
