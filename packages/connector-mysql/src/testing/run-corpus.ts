import type { Database } from '@tributary/testkit'
import { CorpusRun, type CorpusResult } from '../schema/oracle/corpus-run.ts'
import type { DdlInterpreter } from '../schema/ddl-interpreter.ts'
import { LoggedStatements } from './logged-statements.ts'

export interface CorpusOutcome extends CorpusResult {
  /** The model at the end. */
  readonly interpreter: DdlInterpreter
}

/** Called with each statement that the server refuses, and its message. */
export type OnRefused = (sql: string, message: string) => void

/** A run on a server, in a session of its own. */
export interface OpenCorpusRun extends AsyncDisposable {
  readonly run: CorpusRun
}

export async function openCorpusRun(server: Database, onRefused?: OnRefused): Promise<OpenCorpusRun> {
  const session = await server.connect()
  const logged = await LoggedStatements.open(server)
  const [variables] = await server.query(
    'SELECT @@lower_case_table_names AS names, @@character_set_server AS charset, @@system_time_zone AS zone',
  )
  const names = Number(variables?.['names'])
  const run = new CorpusRun({
    flavor: server.flavor,
    version: server.version,
    query: (sql) => server.query(sql),
    run: async (sql) => {
      try {
        await session.query(sql)
      } catch (error) {
        onRefused?.(sql, error instanceof Error ? error.message : String(error))
        throw error
      }
    },
    logged: () => logged.next(),
    lowerCaseTableNames: names === 1 ? 1 : names === 2 ? 2 : 0,
    charset: String(variables?.['charset']),
    systemTimeZone: String(variables?.['zone']),
  })
  return {
    run,
    async [Symbol.asyncDispose]() {
      session.destroy()
      await logged[Symbol.asyncDispose]()
    },
  }
}

/** Runs statements and compares the model with the catalogue after each of them. */
export async function runCorpus(
  server: Database,
  statements: readonly string[],
  onRefused?: OnRefused,
): Promise<CorpusOutcome> {
  await using open = await openCorpusRun(server, onRefused)
  const result = await open.run.run(statements)
  return { ...result, interpreter: open.run.interpreter }
}

/** Drops the databases that scripts of the corpus create: those whose names begin with `c_`, `c-` or `g_`. */
export async function dropCorpusDatabases(server: Database): Promise<void> {
  const rows = await server.query('SHOW DATABASES')
  for (const { Database: name } of rows) {
    const quoted = String(name).replaceAll('`', '``')
    if (/^(c|g)[_-]/.test(quoted)) await server.query(`DROP DATABASE \`${quoted}\``)
  }
}
