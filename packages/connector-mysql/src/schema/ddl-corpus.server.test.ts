import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type DatabaseServer, startMariaDb, startMySql } from '@tributary/testkit'
import { compareMaps, type MapComparison } from '../testing/compare-maps.ts'
import { runSequences } from '../testing/random-sequences.ts'
import { dropCorpusDatabases, runCorpus } from '../testing/run-corpus.ts'
import type { CorpusResult } from './oracle/corpus-run.ts'
import { statementsOf } from './oracle/sql-script.ts'

/** Their defaults have more digits of a second than their columns. */
const ROUNDED = ['c_num.def_time', 'c_num.def_datetime']

/** The server prints `x` in a charset of two bytes for each character as an empty member, and knows it afterwards. */
const WIDE = ['c_cs.wide_members', 'c_cs.wide_members']

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
  { name: 'common_charsets', accepted: 54, compared: 43, gaps: WIDE },
  { name: 'common_alter', accepted: 88, compared: 80 },
  { name: 'common_keys', accepted: 64, compared: 62 },
  { name: 'common_statements', accepted: 79, compared: 21 },
  { name: 'mysql_only', accepted: 84, compared: 57, gaps: ['c_mysql.not_numbers'] },
  { name: 'common_numbers', accepted: 78, compared: 74, gaps: ROUNDED },
  { name: 'common_names', accepted: 64, compared: 56 },
  { name: 'common_modes', accepted: 104, compared: 75 },
  // The renamed ones are views.
  { name: 'common_create', accepted: 115, compared: 76, gaps: ['c_create.b_view', 'c_create.a_view'] },
  { name: 'common_keys2', accepted: 94, compared: 88 },
  { name: 'common_partitions', accepted: 66, compared: 61 },
  { name: 'common_programs', accepted: 80, compared: 31 },
  { name: 'common_temporary', accepted: 26, compared: 7, gaps: ['c_tmp.like_t', 'c_tmp.from_t'] },
  { name: 'mysql_clauses', accepted: 122, compared: 102 },
]

const MARIADB: readonly Script[] = [
  { name: '12_ddl_alter', accepted: 35, compared: 33 },
  { name: '13_ddl_tables', accepted: 50, compared: 23 },
  { name: '14_identifiers_comments', accepted: 17, compared: 11 },
  { name: '15_keys', accepted: 17, compared: 15 },
  { name: '27_charsets_db', accepted: 19, compared: 14 },
  { name: 'common_types', accepted: 27, compared: 25 },
  { name: 'common_charsets', accepted: 57, compared: 46, gaps: WIDE },
  { name: 'common_alter', accepted: 88, compared: 78 },
  { name: 'common_keys', accepted: 63, compared: 61 },
  { name: 'common_statements', accepted: 79, compared: 21 },
  { name: 'm03_ddl', accepted: 31, compared: 21, gaps: ['g_md.n2'] },
  { name: 'm92_create_or_replace', accepted: 5, compared: 3 },
  { name: 'mariadb_only', accepted: 126, compared: 109, gaps: ['c_maria.nope2'] },
  { name: 'common_numbers', accepted: 80, compared: 76, gaps: ROUNDED },
  { name: 'common_names', accepted: 66, compared: 58 },
  { name: 'common_modes', accepted: 106, compared: 76 },
  // MariaDB logs the rename of a temporary table as that of a table; the others are views.
  {
    name: 'common_create',
    accepted: 118,
    compared: 74,
    gaps: ['c_create.temp2', 'c_create.b_view', 'c_create.a_view'],
  },
  { name: 'common_keys2', accepted: 88, compared: 82 },
  { name: 'common_partitions', accepted: 64, compared: 59 },
  { name: 'common_programs', accepted: 80, compared: 29 },
  {
    name: 'mariadb_clauses',
    accepted: 182,
    compared: 153,
    // A table that does not exist, renamed sequences, and keys of columns with a condition.
    gaps: ['c_ma2.yy', 'c_ma2.seq3', 'c_ma2.seq4', 'c_ma2.seq4', 'c_ma2.twice', 'c_ma2.twice', 'c_ma2.twice'],
  },
  { name: 'common_temporary', accepted: 26, compared: 7, gaps: ['c_tmp.like_t', 'c_tmp.from_t'] },
  { name: 'mariadb_oracle', accepted: 43, compared: 30, gaps: ['c_ora.rounding'] },
]

/**
 * Numbered scripts are those of the recordings. Without their INSERT, UPDATE and DELETE, which take time and change no
 * definition; `common_statements` and `common_programs` keep them, to
 * show that the interpreter ignores them.
 */
function statementsOfScript(name: string): string[] {
  const folder = /^m?\d\d_/.test(name) ? '../../../../fixtures/golden/scripts' : '../../fixtures/corpus'
  const text = readFileSync(new URL(`${folder}/${name}.sql`, import.meta.url), 'utf8')
  const statements = statementsOf(text)
  const keepsRows = name === 'common_statements' || name === 'common_programs'
  return keepsRows ? statements : statements.filter((sql) => !/^(insert|update|delete)/i.test(sql))
}

async function runOn(
  server: DatabaseServer,
  statements: readonly string[],
): Promise<CorpusResult & { readonly maps: MapComparison }> {
  try {
    const { interpreter, ...result } = await runCorpus(server, statements)
    const maps = await compareMaps(server, interpreter)
    return { ...result, differences: [...result.differences, ...maps.differences], maps }
  } finally {
    // The next script compares all tables of the server.
    await dropCorpusDatabases(server)
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

    assert.ok(maps >= 350 && built >= 320, `only ${maps} maps were compared, ${built} definitions were built`)

    await suite.test('random statements', async () => {
      const { failed, accepted, compared, gaps } = await runSequences(server, { seed: 20_261, sequences: 40 })
      assert.deepEqual(failed, [])
      assert.ok(accepted >= 150 && compared >= 150, `only ${accepted} statements, ${compared} definitions`)
      assert.ok(gaps * 20 < compared, `${gaps} tables had to be read again, ${compared} definitions were compared`)
    })
  })
}

test('names of a server with lower_case_table_names=1 are in lower case', async () => {
  await using server = await startMariaDb({ rowMetadata: 'FULL', args: ['--lower-case-table-names=1'] })

  assertAgrees(await runOn(server, statementsOfScript('14_identifiers_comments')), { accepted: 17, compared: 11 })
  assertAgrees(await runOn(server, statementsOfScript('common_names')), { accepted: 67, compared: 59 })
})
