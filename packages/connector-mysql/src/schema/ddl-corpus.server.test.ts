/** A script of each kind, on one of the servers; ddl-corpus.full.test.ts runs the others. */
import { test } from 'node:test'
import { startMariaDb, startMySql } from '@tributary/testkit'
import {
  assertAgrees,
  ROUNDED,
  runOn,
  type Script,
  statementsOfScript,
  testCorpus,
  WIDE,
} from '../testing/ddl-corpus.ts'

const MYSQL: readonly Script[] = [
  { name: 'common_types', accepted: 31, compared: 29 },
  { name: 'common_alter', accepted: 88, compared: 80 },
  { name: 'mysql_only', accepted: 84, compared: 57, gaps: ['c_mysql.not_numbers'] },
  { name: 'common_modes', accepted: 104, compared: 75 },
  // The renamed ones are views.
  { name: 'common_create', accepted: 115, compared: 76, gaps: ['c_create.b_view', 'c_create.a_view'] },
]

const MARIADB: readonly Script[] = [
  { name: 'common_charsets', accepted: 57, compared: 46, gaps: WIDE },
  { name: 'm92_create_or_replace', accepted: 5, compared: 3 },
  { name: 'mariadb_only', accepted: 126, compared: 109, gaps: ['c_maria.nope2'] },
  { name: 'mariadb_oracle', accepted: 43, compared: 30, gaps: ['c_ora.rounding'] },
  { name: 'common_statements', accepted: 79, compared: 21 },
  { name: 'common_numbers', accepted: 80, compared: 76, gaps: ROUNDED },
  { name: 'common_keys2', accepted: 88, compared: 82 },
  { name: 'common_partitions', accepted: 64, compared: 59 },
  { name: 'common_programs', accepted: 80, compared: 29 },
  { name: 'common_temporary', accepted: 26, compared: 7, gaps: ['c_tmp.like_t', 'c_tmp.from_t'] },
]

testCorpus('MySQL', { start: startMySql, scripts: MYSQL, maps: 130, built: 130 }, { seed: 20_261, sequences: 8 })

testCorpus('MariaDB', { start: startMariaDb, scripts: MARIADB, maps: 210, built: 200 }, { seed: 20_261, sequences: 8 })

test('names of a server with lower_case_table_names=1 are in lower case', async () => {
  await using server = await startMariaDb({ rowMetadata: 'FULL', args: ['--lower-case-table-names=1'] })

  assertAgrees(await runOn(server, statementsOfScript('14_identifiers_comments')), { accepted: 17, compared: 11 })
  assertAgrees(await runOn(server, statementsOfScript('common_names')), { accepted: 67, compared: 59 })
})
