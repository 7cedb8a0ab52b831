import { CodedError } from '@tributary/support'

/** The exit codes of every command; the reference page of the command line has them too. */
export const EXIT = {
  ok: 0,
  /** Refused, failed, or not so within the time. */
  failed: 1,
  /** The command line or a file that it names cannot be used. */
  usage: 2,
  /** There is no service, or something else in its place. */
  noService: 3,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

const BY_ERROR: Readonly<Record<string, ExitCode>> = {
  SERVICE_URL_INVALID: EXIT.usage,
  CONNECTOR_DOCUMENT: EXIT.usage,
  FILE_MISSING: EXIT.usage,
  SERVICE_UNREACHABLE: EXIT.noService,
  SERVICE_LATE: EXIT.noService,
  SERVICE_FOREIGN: EXIT.noService,
}

export function exitCodeOf(error: unknown): ExitCode {
  return (error instanceof CodedError ? BY_ERROR[error.code] : undefined) ?? EXIT.failed
}
