import { DDL, type DeliberateDifference, record } from './difference-rules.ts'

const DATABASE_STATEMENT = /^(DROP DATABASE|CREATE DATABASE|USE) /

/** Where the schema history has captured tables or databases only. */
export const CAPTURED_ONLY: readonly DeliberateDifference[] = [
  {
    reason:
      'with store.only.captured.tables.ddl, the default charset of a database is recorded all the same: tables that are created later have it, also after a restart',
    recordings: /^(13_ddl_tables~captured-only|18_filters~store-captured)$/,
    rules: [record('extra', /^PFX-history$/, DATABASE_STATEMENT)],
  },
  {
    reason: 'the same for databases without a captured table so far',
    recordings: /^18_filters~store-captured$/,
    rules: [record('extra', /^PFX$/, DATABASE_STATEMENT)],
  },
  {
    reason: 'the same before the reference dies of a table that was renamed into capture',
    recordings: /^97_rename_into_capture~captured-only$/,
    rules: [
      { kind: 'payload', topic: /^PFX-history$/, path: /^ddl$/, texts: [/CREATE TABLE `seen`/, /^"DROP DATABASE/] },
      { kind: 'payload', topic: /^PFX-history$/, path: /^tableChanges$/, texts: ['0', '[]'] },
    ],
  },
  {
    reason: 'statements of captured tables are recorded also when they change no column: a key may depend on an index',
    recordings: /^13_ddl_tables~captured-only$/,
    rules: [
      record('extra', DDL, /^(CREATE (UNIQUE )?INDEX|DROP INDEX|CREATE TABLE IF NOT EXISTS base|ALTER DATABASE) /),
      record('extra', /^PFX-history$/, /^RENAME TABLE c2 TO swap_tmp$/),
    ],
  },
  {
    reason: 'a statement of another database is not recorded, whatever the current database of its session is',
    recordings: /^18_filters~store-captured-db$/,
    rules: [record('missing', DDL, /^ALTER TABLE g_f1\.(log|orders) ADD x INT$/)],
  },
]
