/** The scripts of the corpus that ddl-corpus.server.test.ts leaves out. */
import { startMariaDb, startMySql } from '@tributary/testkit'
import { ROUNDED, type Script, testCorpus, WIDE } from '../testing/ddl-corpus.ts'

const MYSQL: readonly Script[] = [
  { name: 'common_charsets', accepted: 54, compared: 43, gaps: WIDE },
  { name: 'common_keys', accepted: 64, compared: 62 },
  { name: 'mysql_clauses', accepted: 122, compared: 102 },
  { name: 'common_statements', accepted: 79, compared: 21 },
  { name: 'common_numbers', accepted: 78, compared: 74, gaps: ROUNDED },
  { name: 'common_names', accepted: 64, compared: 56 },
  { name: 'common_keys2', accepted: 94, compared: 88 },
  { name: 'common_partitions', accepted: 66, compared: 61 },
  { name: 'common_programs', accepted: 80, compared: 31 },
  { name: 'common_temporary', accepted: 26, compared: 7, gaps: ['c_tmp.like_t', 'c_tmp.from_t'] },
  { name: '12_ddl_alter', accepted: 36, compared: 34 },
  { name: '13_ddl_tables', accepted: 50, compared: 24 },
  { name: '14_identifiers_comments', accepted: 17, compared: 11 },
  { name: '15_keys', accepted: 18, compared: 16 },
  { name: '27_charsets_db', accepted: 26, compared: 17 },
  { name: '96_ddl_exotic', accepted: 64, compared: 45 },
  // One table for each of the 496 keywords of MySQL 9.7 that are not reserved.
  { name: '98_keyword_columns', accepted: 498, compared: 496 },
]

const MARIADB: readonly Script[] = [
  { name: 'm03_ddl', accepted: 31, compared: 21, gaps: ['g_md.n2'] },
  {
    name: 'mariadb_clauses',
    accepted: 182,
    compared: 153,
    // A table that does not exist, renamed sequences, and keys of columns with a condition.
    gaps: ['c_ma2.yy', 'c_ma2.seq3', 'c_ma2.seq4', 'c_ma2.seq4', 'c_ma2.twice', 'c_ma2.twice', 'c_ma2.twice'],
  },
  { name: 'common_names', accepted: 66, compared: 58 },
  // MariaDB logs the rename of a temporary table as that of a table; the others are views.
  {
    name: 'common_create',
    accepted: 118,
    compared: 74,
    gaps: ['c_create.temp2', 'c_create.b_view', 'c_create.a_view'],
  },
  { name: '12_ddl_alter', accepted: 35, compared: 33 },
  { name: '13_ddl_tables', accepted: 50, compared: 23 },
  { name: '14_identifiers_comments', accepted: 17, compared: 11 },
  { name: '15_keys', accepted: 17, compared: 15 },
  { name: '27_charsets_db', accepted: 19, compared: 14 },
  { name: 'common_types', accepted: 27, compared: 25 },
  { name: 'common_alter', accepted: 88, compared: 78 },
  { name: 'common_keys', accepted: 63, compared: 61 },
  { name: 'common_modes', accepted: 106, compared: 76 },
]

testCorpus('MySQL', { start: startMySql, scripts: MYSQL, maps: 767, built: 763 }, { seed: 20_269, sequences: 32 })

testCorpus('MariaDB', { start: startMariaDb, scripts: MARIADB, maps: 202, built: 192 }, { seed: 20_269, sequences: 32 })
