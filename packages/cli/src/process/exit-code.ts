/** The exit codes of every command. The help texts document them. */
export const EXIT = {
  ok: 0,
  /** The service refused the request, the operation failed, or it was not done in time. */
  failed: 1,
  /** The command line, a file that it names, or a setting is invalid. */
  usage: 2,
  /** No service answers, or another program answers in its place. */
  noService: 3,
  /** Another worker runs in its place. A restart helps only when that one has ended. */
  taken: 4,
  /** Nothing differs, but a comparison could not prove everything. */
  unproven: 5,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

const BY_ERROR: Readonly<Record<string, ExitCode>> = {
  SERVICE_URL_INVALID: EXIT.usage,
  CONNECTOR_CLASS: EXIT.usage,
  CONNECTOR_DOCUMENT: EXIT.usage,
  FILE_MISSING: EXIT.usage,
  SIGNAL_DATA: EXIT.usage,
  SIGNAL_STATEMENT: EXIT.usage,
  WATCH_NO_BROKER: EXIT.usage,
  DEV_BROKER_ABSENT: EXIT.usage,
  DEV_BROKER_SETTING: EXIT.usage,
  DEV_NO_URL: EXIT.usage,
  DEV_NOTHING_LEFT: EXIT.usage,
  DEV_FOLDER: EXIT.usage,
  DATABASE_URL: EXIT.usage,
  PROPERTY_SET: EXIT.usage,
  PASSWORD_FILE: EXIT.usage,
  TAIL_SINCE: EXIT.usage,
  TAIL_WHERE: EXIT.usage,
  TAIL_SAVE: EXIT.usage,
  TAIL_UNFINISHED: EXIT.usage,
  START_PLACE: EXIT.usage,
  START_GTIDS: EXIT.usage,
  REHEARSE_SOURCE: EXIT.usage,
  REHEARSE_NO_BROKER: EXIT.usage,
  REHEARSE_SET: EXIT.usage,
  REHEARSE_SERVER_ID: EXIT.usage,
  REHEARSE_UNREACHABLE: EXIT.noService,
  WORKER_FILE_UNREADABLE: EXIT.usage,
  WORKER_NO_BROKER: EXIT.usage,
  WORKER_SETTING_MISSING: EXIT.usage,
  WORKER_SETTING_INVALID: EXIT.usage,
  WORKER_SETTING_UNSUPPORTED: EXIT.usage,
  SETTING_MISSING: EXIT.usage,
  SETTING_INVALID: EXIT.usage,
  SETTING_UNSUPPORTED: EXIT.usage,
  CONVERTER_OPTION: EXIT.usage,
  WORKER_GROUP_TAKEN: EXIT.taken,
  WORKER_GROUP_TOPICS: EXIT.taken,
  WORKER_TOPIC_TAKEN: EXIT.taken,
  WORKER_GROUP_FOREIGN: EXIT.usage,
  SERVICE_UNREACHABLE: EXIT.noService,
  SERVICE_LOGIN: EXIT.noService,
  SERVICE_LATE: EXIT.noService,
  SERVICE_FOREIGN: EXIT.noService,
}

/** The exit code for an error that ended a command. */
export function exitCodeOf(error: unknown): ExitCode {
  // A masked error has a code, but is no CodedError.
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return (typeof code === 'string' ? BY_ERROR[code] : undefined) ?? EXIT.failed
}
