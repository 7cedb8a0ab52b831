import { CodedError } from '@tributary/support'
import { type FindingCode, findingDefinitions, type Severity } from './finding-definitions.ts'

/** One thing that is not as the connector needs it, in words for people. */
export interface Finding {
  readonly severity: Severity
  /** Stable; the reference page of the checks is ordered by it. */
  readonly code: string
  /** The property of the connector that it belongs to. */
  readonly property: string
  /** What is wrong, where, and what to do about it. */
  readonly message: string
  /** SQL for an administrator to run, which makes it go away; null where no statement can. */
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

/** An error that was met while looking, as a finding. */
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

/** Where errors of others belong; Debezium puts all that a login meets on the host name. */
const PROPERTIES: Readonly<Record<string, string>> = {
  MYSQL_TLS_FAILED: 'database.ssl.mode',
  TLS_REQUIRED: findingDefinitions.TLS_REQUIRED.property,
  KEYSTORE_FORM: 'database.ssl.keystore',
  KEYSTORE_UNREADABLE: 'database.ssl.keystore',
}
