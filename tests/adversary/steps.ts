/**
 * One step of a history. A history is a list of steps with finished SQL, so that it can be repeated, shortened and
 * printed. A step whose statement the server refuses, since an earlier step was removed, changes nothing.
 */
export type Step = TransactionStep | StatementStep | ScriptStep | GlobalStep | TaskStep | ServerStep

export interface TransactionStep {
  readonly kind: 'begin' | 'commit' | 'rollback' | 'savepoint' | 'rollbackTo' | 'xaBegin' | 'xaPrepare'
  readonly session: number
}

/** Variables of the session for the statement. */
export type SessionVariables = Readonly<Record<string, string>>

export type StatementStep =
  | {
      readonly kind: 'dml'
      readonly session: number
      /** All tables whose rows the statement may change so that the binlog has the changes. */
      readonly tables: readonly string[]
      readonly sql: string
      readonly set?: SessionVariables
      /** Content of the file `rows.txt` in the data folder of the server, for LOAD DATA. */
      readonly file?: string
    }
  | {
      readonly kind: 'ddl'
      readonly session: number
      readonly sql: string
      /** False: with `sql_log_bin=0`. */
      readonly isLogged: boolean
      readonly set?: SessionVariables
      /** A table that the statement fills with rows, which are then in the binlog. */
      readonly fills?: string
    }

/** Statements of a session without effect on tables that others see. One that is refused ends all but the last. */
export interface ScriptStep {
  readonly kind: 'script'
  readonly session: number
  readonly statements: readonly string[]
}

export type GlobalStep =
  /** For all sessions. */
  | { readonly kind: 'global'; readonly sql: string }
  /** The oldest prepared XA transaction is committed or rolled back. */
  | { readonly kind: 'xaEnd'; readonly by: 'COMMIT' | 'ROLLBACK' }

export type TaskStep =
  /** The task reads all that was written; another one does if it has been stopped. */
  | { readonly kind: 'read' }
  /** The task stops. */
  | { readonly kind: 'pause' }
  /** The task reads so many events more, stops, and another one starts from the offset of the last of them. */
  | { readonly kind: 'restart'; readonly events: number }
  /** As `restart`, but from the offset before so many records, as when the latest offsets were not stored. */
  | { readonly kind: 'crash'; readonly events: number; readonly unstored: number }
  /** The server ends the binlog connection of the task. */
  | { readonly kind: 'disconnect' }

export type ServerStep =
  | { readonly kind: 'server'; readonly how: 'stop' | 'kill' }
  /** The task reads everything, then the server removes all binlog files but the current one. */
  | { readonly kind: 'purge' }

const TRANSACTION_SQL = {
  begin: 'START TRANSACTION',
  commit: 'COMMIT',
  rollback: 'ROLLBACK',
  savepoint: 'SAVEPOINT s',
  rollbackTo: 'ROLLBACK TO SAVEPOINT s',
  xaBegin: 'XA START',
  xaPrepare: 'XA END, XA PREPARE',
} as const

/** A line for people: `2: INSERT INTO h1a (id) VALUES (1)`. */
export function describeStep(step: Step): string {
  switch (step.kind) {
    case 'dml':
    case 'ddl': {
      const set = Object.entries(step.set ?? {}).map(([name, value]) => `${name}=${value}`)
      const notes = [...(step.kind === 'ddl' && !step.isLogged ? ['sql_log_bin=0'] : []), ...set]
      const file = 'file' in step ? ` -- ${JSON.stringify(step.file)}` : ''
      return `${step.session}: ${notes.length === 0 ? '' : `(${notes.join(', ')}) `}${step.sql}${file}`
    }
    case 'script':
      return `${step.session}: ${step.statements.join('; ')}`
    case 'global':
      return `   ${step.sql}`
    case 'xaEnd':
      return `   XA ${step.by} of the oldest prepared transaction`
    case 'read':
      return '   the task reads everything'
    case 'pause':
      return '   the task stops'
    case 'restart':
      return `   the task reads ${step.events} events and starts again`
    case 'crash':
      return `   the task reads ${step.events} events and starts again from ${step.unstored} records before`
    case 'disconnect':
      return '   the server ends the connection of the task'
    case 'server':
      return `   the server restarts after ${step.how === 'kill' ? 'kill -9' : 'a shutdown'}`
    case 'purge':
      return '   the task reads everything; PURGE BINARY LOGS'
    default:
      return `${step.session}: ${TRANSACTION_SQL[step.kind]}`
  }
}

/** The SQL of a step, to find the tables that it names. */
export function sqlOf(step: Step): string | null {
  if (step.kind === 'script') return step.statements.join('; ')
  return step.kind === 'dml' || step.kind === 'ddl' ? step.sql : null
}
