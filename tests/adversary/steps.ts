/**
 * One step of a history. A history is a list of steps with finished SQL, so that it can be repeated, shortened and
 * printed. A step whose statement the server refuses, since an earlier step was removed, changes nothing.
 */
export type Step =
  | { readonly kind: 'begin' | 'commit' | 'rollback' | 'savepoint' | 'rollbackTo'; readonly session: number }
  | { readonly kind: 'dml'; readonly session: number; readonly table: string; readonly sql: string }
  | {
      readonly kind: 'ddl'
      readonly session: number
      readonly sql: string
      /** False: with `sql_log_bin=0`. */
      readonly isLogged: boolean
      /** A table that the statement fills with rows, which are then in the binlog. */
      readonly fills?: string
    }
  /** For all sessions. */
  | { readonly kind: 'global'; readonly sql: string }
  /** The task reads all that was written. */
  | { readonly kind: 'read' }
  /** The task reads so many events more, stops, and another one starts from the offset of the last of them. */
  | { readonly kind: 'restart'; readonly events: number }

export const TRANSACTION_SQL = {
  begin: 'START TRANSACTION',
  commit: 'COMMIT',
  rollback: 'ROLLBACK',
  savepoint: 'SAVEPOINT s',
  rollbackTo: 'ROLLBACK TO SAVEPOINT s',
} as const

/** A line for people: `2: INSERT INTO h1a (id) VALUES (1)`. */
export function describeStep(step: Step): string {
  switch (step.kind) {
    case 'begin':
    case 'commit':
    case 'rollback':
    case 'savepoint':
    case 'rollbackTo':
      return `${step.session}: ${TRANSACTION_SQL[step.kind]}`
    case 'dml':
      return `${step.session}: ${step.sql}`
    case 'ddl':
      return `${step.session}: ${step.isLogged ? '' : '(sql_log_bin=0) '}${step.sql}`
    case 'global':
      return `   ${step.sql}`
    case 'read':
      return '   the task reads everything'
    case 'restart':
      return `   the task reads ${step.events} events and starts again`
  }
}
