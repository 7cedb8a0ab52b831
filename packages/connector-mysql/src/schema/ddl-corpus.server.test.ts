import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type DatabaseServer, seededRandom, startMariaDb, startMySql } from '@tributary/testkit'
import { compareMaps, type MapComparison } from '../testing/compare-maps.ts'
import { CorpusRun, type CorpusResult, type CorpusServer } from './oracle/corpus-run.ts'
import { randomDdl } from './oracle/random-ddl.ts'
import { statementsOf } from './oracle/sql-script.ts'

/** A script, the least number of its statements that a server accepts, and of the definitions that are compared. */
interface Script {
  readonly name: string
  readonly accepted: number
  readonly compared: number
  /** Tables that may have to be read again. */
  readonly gaps?: readonly string[]
}

const MYSQL: readonly Script[] = [
  { name: '12_ddl_alter', accepted: 36, compared: 34 },
  { name: '13_ddl_tables', accepted: 50, compared: 24 },
  { name: '14_identifiers_comments', accepted: 17, compared: 11 },
  { name: '15_keys', accepted: 18, compared: 16 },
  { name: '27_charsets_db', accepted: 26, compared: 17 },
  { name: '96_ddl_exotic', accepted: 64, compared: 45 },
  // One table for each of the 496 keywords of MySQL 9.7 that are not reserved.
  { name: '98_keyword_columns', accepted: 498, compared: 496 },
  { name: 'common_types', accepted: 31, compared: 29 },
  { name: 'common_charsets', accepted: 51, compared: 40 },
  { name: 'common_alter', accepted: 88, compared: 80 },
  { name: 'common_keys', accepted: 64, compared: 62 },
  { name: 'common_statements', accepted: 79, compared: 21 },
  { name: 'mysql_only', accepted: 80, compared: 55 },
]

const MARIADB: readonly Script[] = [
  { name: '12_ddl_alter', accepted: 35, compared: 33 },
  { name: '13_ddl_tables', accepted: 50, compared: 23 },
  { name: '14_identifiers_comments', accepted: 17, compared: 11 },
  { name: '15_keys', accepted: 17, compared: 15 },
  { name: '27_charsets_db', accepted: 19, compared: 14 },
  { name: 'common_types', accepted: 27, compared: 25 },
  { name: 'common_charsets', accepted: 54, compared: 43 },
  { name: 'common_alter', accepted: 88, compared: 78 },
  { name: 'common_keys', accepted: 63, compared: 61 },
  { name: 'common_statements', accepted: 79, compared: 21 },
  { name: 'm03_ddl', accepted: 31, compared: 21, gaps: ['g_md.n2'] },
  { name: 'm92_create_or_replace', accepted: 5, compared: 3 },
  { name: 'mariadb_only', accepted: 114, compared: 97, gaps: ['c_maria.periods3', 'c_maria.nope2'] },
]

/**
 * Numbered scripts are those of the recordings. Without their INSERT, UPDATE and DELETE, which take time and change no
 * definition; `common_statements` keeps them, to show that the interpreter ignores them.
 */
function statementsOfScript(name: string): string[] {
  const folder = /^m?\d\d_/.test(name) ? '../../../../fixtures/golden/scripts' : '../../fixtures/corpus'
  const text = readFileSync(new URL(`${folder}/${name}.sql`, import.meta.url), 'utf8')
  const statements = statementsOf(text)
  return name === 'common_statements' ? statements : statements.filter((sql) => !/^(insert|update|delete)/i.test(sql))
}

async function runOn(
  server: DatabaseServer,
  statements: readonly string[],
): Promise<CorpusResult & { readonly maps: MapComparison }> {
  const session = await server.connect()
  try {
    const [variables] = await server.query(
      'SELECT @@lower_case_table_names AS names, @@character_set_server AS charset',
    )
    const names = Number(variables?.['names'])
    const corpus: CorpusServer = {
      flavor: server.flavor,
      version: server.version,
      query: (sql) => server.query(sql),
      run: async (sql) => void (await session.query(sql)),
      sessionQuery: async (sql) => {
        const [rows] = await session.query(sql)
        return rows as Record<string, unknown>[]
      },
      lowerCaseTableNames: names === 1 ? 1 : names === 2 ? 2 : 0,
      charset: String(variables?.['charset']),
    }
    const run = new CorpusRun(corpus)
    const result = await run.run(statements)
    const maps = await compareMaps(server, run.interpreter)
    return { ...result, differences: [...result.differences, ...maps.differences], maps }
  } finally {
    session.destroy()
    await dropDatabases(server)
  }
}

/** The next script compares all tables of the server. */
async function dropDatabases(server: DatabaseServer): Promise<void> {
  const rows = await server.query('SHOW DATABASES')
  for (const { Database: name } of rows) {
    if (/^(c|g)[_-]/.test(String(name))) await server.query(`DROP DATABASE \`${String(name)}\``)
  }
}

function assertAgrees(result: CorpusResult, { accepted, compared, gaps = [] }: Omit<Script, 'name'>): void {
  assert.deepEqual(result.differences, [])
  assert.deepEqual(
    result.gaps.map((gap) => gap.slice(0, gap.indexOf(': '))),
    gaps,
  )
  assert.ok(result.accepted >= accepted, `only ${result.accepted} statements were accepted`)
  assert.ok(result.compared >= compared, `only ${result.compared} definitions were compared`)
}

for (const [product, start, scripts] of [
  ['MySQL', startMySql, MYSQL],
  ['MariaDB', startMariaDb, MARIADB],
] as const) {
  test(`the model has what the catalogue of ${product} has, after each statement`, async (suite) => {
    await using server = await start({ rowMetadata: 'FULL' })
    let [maps, built] = [0, 0]
    for (const expected of scripts) {
      await suite.test(expected.name, async () => {
        const result = await runOn(server, statementsOfScript(expected.name))
        maps += result.maps.compared
        built += result.maps.built
        assertAgrees(result, expected)
      })
    }

    assert.ok(maps >= 150 && built >= 145, `only ${maps} maps were compared, ${built} definitions were built`)

    await suite.test('random statements', async () => {
      const random = seededRandom(20_261)
      const statements = ['CREATE DATABASE c_random', 'USE c_random', ...randomDdl(random, 500)]
      const result = await runOn(server, statements)
      // MariaDB permits a statement to change a column that it adds; such a table is read again.
      assertAgrees({ ...result, gaps: [] }, { accepted: 120, compared: 120 })
      assert.ok(result.gaps.length < 5, result.gaps.join('\n'))
    })
  })
}

test('names of a server with lower_case_table_names=1 are in lower case', async () => {
  await using server = await startMariaDb({ rowMetadata: 'FULL', args: ['--lower-case-table-names=1'] })

  assertAgrees(await runOn(server, statementsOfScript('14_identifiers_comments')), { accepted: 17, compared: 11 })
})
