import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { tableChangesToJson } from '@tributary/connector-kit'
import { DdlInterpreter } from './ddl-interpreter.ts'
import type { SchemaChange } from './schema-change.ts'

interface RecordedColumn {
  readonly name: string
}

interface RecordedChange {
  readonly type: string
  readonly id: string
  readonly table?: { readonly columns: readonly RecordedColumn[] }
}

interface HistoryRecord {
  readonly databaseName: string
  readonly ddl: string
  readonly tableChanges: readonly RecordedChange[]
}

/** The complete texts, from the binlog, of statements that the reference recorded in pieces or truncated. */
interface Original {
  /** The beginning of the recorded text of the first piece. */
  readonly begins: string
  readonly pieces: number
  readonly sql: string
  readonly database: string
}

interface Recording {
  readonly name: string
  readonly flavor?: 'mariadb'
  readonly includesComments?: true
  readonly originals?: readonly Original[]
  /** Charsets of databases that had no table during the snapshot of the reference, which never read them therefore. */
  readonly charsets?: Readonly<Record<string, string>>
  /** Intended differences, as `table.column member: ours, not recorded`, with the reason. */
  readonly differences?: Readonly<Record<string, readonly string[]>>
}

const BOOL = 'BOOL is TINYINT(1), as SHOW CREATE TABLE has it, so that snapshot and stream agree'
const BYTES = 'a character type of the charset binary is the binary type that the server makes of it'
const TABLE_CHARSET = 'the default charset of a table follows ALTER TABLE and COLLATE'
const NOT_SCHEMA = 'what changes no table is no change of the schema'
const LITERALS = 'a default is the value that the server stores, not the digits or pieces of the literal'

const recordings: readonly Recording[] = [
  { name: '00_smoke' },
  { name: '01_integers' },
  {
    name: '02_decimals',
    differences: {
      'REAL is DOUBLE to MySQL; as a REAL of 4 bytes it would lose digits': ['"g_dec"."decs2".f jdbcType: 8, not 7'],
    },
  },
  { name: '03_bits' },
  { name: '04_temporal' },
  { name: '05_temporal_defaults' },
  {
    name: '06_strings',
    differences: {
      'a length of 0 is 0': ['"g_str"."texts".c0 length: 0, not 10', '"g_str"."texts".v0 length: 0, not 10'],
      [LITERALS]: [
        '"g_str"."sdef".f defaultValueExpression: "😀", not "F09F988"',
        `"g_str"."sdef2".d defaultValueExpression: "nat", not "N'nat'"`,
        `"g_str"."sdef2".e defaultValueExpression: "ab", not "a''b"`,
        '"g_str"."sdef2".f defaultValueExpression: "AB", not "4142"',
      ],
      [BYTES]: [
        '"g_str"."sdef2".h jdbcType: -2, not 1',
        '"g_str"."sdef2".h typeName: "BINARY", not "CHAR"',
        '"g_str"."sdef2".h typeExpression: "BINARY", not "CHAR"',
        '"g_str"."sdef2".h charsetName: null, not "utf8mb3"',
      ],
      'ASCII and UNICODE are charsets': [
        '"g_str"."sdef2".i charsetName: "latin1", not "utf8mb3"',
        '"g_str"."sdef2".j charsetName: "ucs2", not "utf8mb3"',
      ],
    },
  },
  {
    name: '07_binary',
    differences: {
      [LITERALS]: [
        `"g_bin"."bins".vx defaultValueExpression: "X'FF00'", not "FF0"`,
        '"g_bin"."binkey".d defaultValueExpression: "\\\\0", not "00"',
      ],
      [BYTES]: [
        '"g_bin"."binkey".e jdbcType: -2, not 1',
        '"g_bin"."binkey".e typeName: "BINARY", not "CHAR"',
        '"g_bin"."binkey".e typeExpression: "BINARY", not "CHAR"',
        '"g_bin"."binkey".e charsetName: null, not "binary"',
        '"g_bin"."binkey".f jdbcType: -3, not 12',
        '"g_bin"."binkey".f typeName: "VARBINARY", not "VARCHAR"',
        '"g_bin"."binkey".f typeExpression: "VARBINARY", not "VARCHAR"',
        '"g_bin"."binkey".f charsetName: null, not "binary"',
        '"g_bin"."binkey".g jdbcType: 2004, not 12',
        '"g_bin"."binkey".g typeName: "BLOB", not "TEXT"',
        '"g_bin"."binkey".g typeExpression: "BLOB", not "TEXT"',
        '"g_bin"."binkey".g charsetName: null, not "binary"',
      ],
    },
  },
  { name: '08_enum_set' },
  { name: '09_json' },
  { name: '10_spatial_vector' },
  { name: '11_generated_invisible' },
  {
    name: '12_ddl_alter',
    differences: {
      [TABLE_CHARSET]: [
        '"g_alter"."t" defaultCharsetName: "utf8mb4", not "latin1"',
        '"g_alter"."t".g charsetName: "utf8mb4", not "latin1"',
        '"g_alter"."t_new" defaultCharsetName: "utf8mb4", not "latin1"',
        '"g_alter"."t_new".g charsetName: "utf8mb4", not "latin1"',
        '"g_alter"."t3" defaultCharsetName: "utf8mb4", not "latin1"',
        '"g_alter"."t3".g charsetName: "utf8mb4", not "latin1"',
        '"g_alter"."t3".h charsetName: "utf8mb4", not "latin1"',
      ],
    },
  },
  {
    name: '13_ddl_tables',
    originals: [
      {
        begins: 'RENAME TABLE c2 TO',
        pieces: 3,
        sql: 'RENAME TABLE c2 TO swap_tmp, c3 TO c2, swap_tmp TO c3',
        database: 'g_ddl',
      },
      {
        begins: 'RENAME TABLE c4 TO',
        pieces: 1,
        sql: 'RENAME TABLE c4 TO g_ddl_other.c4_moved',
        database: 'g_ddl',
      },
      {
        begins: 'DROP TABLE `g_ddl`.`p1`',
        pieces: 3,
        sql: 'DROP TABLE g_ddl.p1, h2, g_ddl.p2',
        database: 'g_ddl_other',
      },
      {
        begins: 'DROP TABLE IF EXISTS `g_ddl`.`p3`',
        pieces: 2,
        sql: 'DROP TABLE IF EXISTS `g_ddl`.`p3`,`g_ddl`.`nonexistent` /* generated by server */',
        database: 'g_ddl_other',
      },
    ],
  },
  {
    name: '14_identifiers_comments',
    charsets: { g_ident: 'utf8mb4' },
    originals: [
      {
        begins: 'DROP TABLE `g_ident`.`insert`',
        pieces: 2,
        sql: 'DROP TABLE `insert`, `tbl.with.dots`',
        database: 'g_ident',
      },
      {
        begins: 'DROP TABLE `g_ident`.`com``ment`',
        pieces: 1,
        sql: 'DROP TABLE /* all of it */ `com``ment` -- bye\n',
        database: 'g_ident',
      },
    ],
  },
  {
    name: '15_keys',
    originals: [
      { begins: 'UNIQUE INDEX k3u', pieces: 1, sql: 'CREATE UNIQUE INDEX k3u ON k3 (b)', database: 'g_keys' },
    ],
    differences: {
      'the text of CREATE UNIQUE INDEX is whole': [
        'ddl: "CREATE UNIQUE INDEX k3u ON k3 (b)", not "UNIQUE INDEX k3u ON k3 (b)"',
      ],
      'a nullable column identifies no row, even with UNIQUE': [
        '"g_keys"."k2" primaryKeyColumnNames: ["b"], not ["a"]',
      ],
      'a dropped index is noticed': ['ddl "DROP INDEX k3u ON k3": changes ["ALTER"], not []'],
      'without its primary key a table is identified by a unique key': [
        '"g_keys"."k3" primaryKeyColumnNames: ["b"], not []',
      ],
    },
  },
  { name: '17_columns-comments', includesComments: true },
  {
    name: '27_charsets_db',
    charsets: { g_cs_sj: 'sjis', g_cs_u: 'utf8mb4' },
    differences: {
      [TABLE_CHARSET]: [
        '"g_cs_l1"."s3" defaultCharsetName: "koi8r", not "latin1"',
        '"g_cs_l1"."s3".s charsetName: "koi8r", not "latin1"',
        '"g_cs_l1"."s3" defaultCharsetName: "latin2", not "latin1"',
        '"g_cs_l1"."s3".x charsetName: "latin2", not "latin1"',
        '"g_cs_l1"."s4" defaultCharsetName: "utf8mb4", not "cp1251"',
      ],
      'each database has its charset, also one that had no table': [
        '"g_cs_sj"."j1" defaultCharsetName: "sjis", not "latin1"',
        '"g_cs_sj"."j1".s charsetName: "sjis", not "latin1"',
        '"g_cs_sj"."j1".c charsetName: "sjis", not "latin1"',
        '"g_cs_u"."u1" defaultCharsetName: "utf8mb4", not "latin1"',
        '"g_cs_u"."u1".s charsetName: "utf8mb4", not "latin1"',
        '"g_cs_u"."like_sj" defaultCharsetName: "sjis", not "latin1"',
        '"g_cs_u"."like_sj".s charsetName: "sjis", not "latin1"',
        '"g_cs_u"."like_sj".c charsetName: "sjis", not "latin1"',
        '"g_cs_sj"."j2" defaultCharsetName: "sjis", not "latin1"',
        '"g_cs_sj"."j2".s charsetName: "sjis", not "latin1"',
        '"g_cs_u"."u2" defaultCharsetName: "utf8mb4", not "latin1"',
        '"g_cs_u"."u2".s charsetName: "utf8mb4", not "latin1"',
        '"g_cs_sj"."j3" defaultCharsetName: "sjis", not "latin1"',
        '"g_cs_sj"."j3".s charsetName: "sjis", not "latin1"',
      ],
    },
  },
  {
    name: '96_ddl_exotic',
    differences: {
      'what the reference could not parse': [
        'ddl "CREATE TABLE e01 (id INT PRIMARY KEY, b VARBINARY(8) NOT NULL DEFAULT x\'\')": changes ["CREATE"], not []',
        'ddl "ALTER TABLE e30 RENAME = e30c": changes ["ALTER"], not []',
        'ddl "CREATE TABLE \\"ansi\\" (\\"id\\" INT PRIMARY KEY, \\"weird \\"\\"name\\" VARCHAR(5) DEFAULT \'x\')": changes ["CREATE"], not []',
      ],
      [LITERALS]: [
        '"g_ex"."e02".h defaultValueExpression: "31", not "1"',
        '"g_ex"."e02".s defaultValueExpression: "é", not "E9"',
      ],
      [BOOL]: [
        '"g_ex"."e04".b jdbcType: 5, not 16',
        '"g_ex"."e04".b typeName: "TINYINT", not "BOOL"',
        '"g_ex"."e04".b typeExpression: "TINYINT", not "BOOL"',
        '"g_ex"."e04".b length: 1, not undefined',
        '"g_ex"."e04".b defaultValueExpression: "1", not "TRUE"',
        '"g_ex"."e04".c jdbcType: 5, not 16',
        '"g_ex"."e04".c typeName: "TINYINT", not "BOOL"',
        '"g_ex"."e04".c typeExpression: "TINYINT", not "BOOL"',
        '"g_ex"."e04".c length: 1, not undefined',
        '"g_ex"."e16".b jdbcType: 5, not 16',
        '"g_ex"."e16".b typeName: "TINYINT", not "BOOLEAN"',
        '"g_ex"."e16".b typeExpression: "TINYINT", not "BOOLEAN"',
        '"g_ex"."e16".b length: 1, not undefined',
        '"g_ex"."e16".bb jdbcType: 5, not 16',
        '"g_ex"."e16".bb typeName: "TINYINT", not "BOOLEAN"',
        '"g_ex"."e16".bb typeExpression: "TINYINT", not "BOOLEAN"',
        '"g_ex"."e16".bb length: 1, not undefined',
        '"g_ex"."e28".b jdbcType: 5, not 16',
        '"g_ex"."e28".b typeName: "TINYINT", not "BOOL"',
        '"g_ex"."e28".b typeExpression: "TINYINT", not "BOOL"',
        '"g_ex"."e28".b length: 1, not undefined',
        '"g_ex"."e28".b defaultValueExpression: "0", not "FALSE"',
        '"g_ex"."e28".t defaultValueExpression: "1", not "TRUE"',
        '"g_ex"."e28b".b jdbcType: 5, not 16',
        '"g_ex"."e28b".b typeName: "TINYINT", not "BOOL"',
        '"g_ex"."e28b".b typeExpression: "TINYINT", not "BOOL"',
        '"g_ex"."e28b".b length: 1, not undefined',
        '"g_ex"."e28b".b defaultValueExpression: "0", not "FALSE"',
        '"g_ex"."e28b".t defaultValueExpression: "1", not "TRUE"',
        '"g_ex"."e28c".b jdbcType: 5, not 16',
        '"g_ex"."e28c".b typeName: "TINYINT", not "BOOL"',
        '"g_ex"."e28c".b typeExpression: "TINYINT", not "BOOL"',
        '"g_ex"."e28c".b length: 1, not undefined',
        '"g_ex"."e28c".b defaultValueExpression: "0", not "FALSE"',
        '"g_ex"."e28c".t defaultValueExpression: "1", not "TRUE"',
      ],
      'a length of 0 is 0': ['"g_ex"."e26".nl length: 0, not 10'],
      [NOT_SCHEMA]: [
        'no event: CREATE DEFINER=`root`@`localho',
        'no event: DROP EVENT ev',
        'no event: CREATE SPATIAL REFERENCE SYSTE',
        'no event: DROP SPATIAL REFERENCE SYSTEM ',
        'no event: CREATE TABLESPACE tsp ADD DATA',
        'no event: DROP TABLESPACE tsp',
      ],
    },
  },
  { name: '97_rename_into_capture' },
  {
    name: 'm01_types',
    flavor: 'mariadb',
    differences: {
      'JSON is an alias of LONGTEXT, as SHOW CREATE TABLE and the binlog have it': [
        '"g_mt"."ty2".j jdbcType: 12, not 1111',
        '"g_mt"."ty2".j typeName: "LONGTEXT", not "JSON"',
        '"g_mt"."ty2".j typeExpression: "LONGTEXT", not "JSON"',
        '"g_mt"."ty2".j charsetName: "utf8mb4", not null',
      ],
    },
  },
  {
    name: 'm03_ddl',
    flavor: 'mariadb',
    differences: {
      'ADD COLUMN IF NOT EXISTS leaves the column that exists': [
        '"g_md"."t".x defaultValueExpression: "3", not undefined',
        '"g_md"."lk".x defaultValueExpression: "3", not undefined',
        '"g_md"."lk2".x defaultValueExpression: "3", not undefined',
      ],
      'a computed default is a default': ['"g_md"."sq".id hasDefaultValue: true, not false'],
      'what the reference could not parse': [
        'ddl "CREATE TABLE per (id INT, s DATE, e DATE, PERIOD FOR p (s, e), UNIQUE (id, p WITHOUT OVERLAPS))": changes ["CREATE"], not []',
      ],
      'whether a table outside the model was renamed is unknown': ['to be read again: g_md.n2'],
      [NOT_SCHEMA]: [
        'no event: CREATE SEQUENCE s1 START WITH ',
        'no event: ALTER SEQUENCE s1 RESTART 50',
        'no event: DROP SEQUENCE `s1` /* generate',
      ],
    },
  },
  { name: 'm08_annotate_charsets', flavor: 'mariadb' },
  {
    name: 'm92_create_or_replace',
    flavor: 'mariadb',
    differences: {
      'CREATE OR REPLACE TABLE replaces a table that is known': [
        'ddl "CREATE OR REPLACE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, v VARCHAR(20), w INT DEFAULT 4)": changes ["CREATE"], not []',
      ],
    },
  },
]

/** Names each member in which two parts of a record differ. */
function differencesOf(at: string, ours: object, recorded: object, skipped: readonly string[]): string[] {
  const names = new Set([...Object.keys(ours), ...Object.keys(recorded)].filter((name) => !skipped.includes(name)))
  return [...names].flatMap((name) => {
    const [a, b] = [ours, recorded].map((part) => JSON.stringify((part as Record<string, unknown>)[name]))
    return a === b ? [] : [`${at}${name}: ${a}, not ${b}`]
  })
}

function changeDifferences(ours: RecordedChange, recorded: RecordedChange): string[] {
  const found = differencesOf(`${recorded.id} `, ours, recorded, ['table'])
  if (ours.table === undefined || recorded.table === undefined) return found
  found.push(...differencesOf(`${recorded.id} `, ours.table, recorded.table, ['columns']))
  const { columns } = ours.table
  assert.equal(columns.length, recorded.table.columns.length)
  for (const [index, column] of recorded.table.columns.entries()) {
    found.push(...differencesOf(`${recorded.id}.${column.name} `, columns[index] ?? {}, column, []))
  }
  return found
}

function recordDifferences(event: SchemaChange, recorded: HistoryRecord): string[] {
  const found = differencesOf('', { databaseName: event.databaseName, ddl: event.ddl }, recorded, ['tableChanges'])
  const text = JSON.stringify(tableChangesToJson(event.changes))
  if (text === JSON.stringify(recorded.tableChanges)) return found
  const ours = JSON.parse(text) as RecordedChange[]
  if (ours.length !== recorded.tableChanges.length) {
    const [a, b] = [ours, recorded.tableChanges].map((changes) => JSON.stringify(changes.map(({ type }) => type)))
    return [...found, `ddl ${JSON.stringify(recorded.ddl)}: changes ${a}, not ${b}`]
  }
  for (const [index, change] of recorded.tableChanges.entries()) {
    const own = ours[index]
    if (own !== undefined) found.push(...changeDifferences(own, change))
  }
  return found
}

function read(name: string): HistoryRecord[] {
  const text = readFileSync(new URL(`../../fixtures/history/${name}.jsonl`, import.meta.url), 'utf8')
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as HistoryRecord)
}

for (const {
  name,
  flavor = 'mysql',
  includesComments = false,
  originals = [],
  charsets = {},
  differences = {},
} of recordings) {
  test(`the statements of recording ${name} result in the recorded table changes`, () => {
    const interpreter = new DdlInterpreter({
      flavor,
      serverVersion: flavor === 'mysql' ? 90_704 : 101_119,
      lowerCaseTableNames: 0,
      serverCharset: null,
      includesComments,
    })
    for (const [database, charset] of Object.entries(charsets)) interpreter.setDatabaseCharset(database, charset)
    const records = read(name)
    const found = new Set<string>()

    for (let at = 0; at < records.length;) {
      const record = records[at]
      assert.ok(record !== undefined)
      const original = originals.find(({ begins }) => record.ddl.startsWith(begins))
      const { sql, pieces } = original ?? { sql: record.ddl, pieces: 1 }
      const database = original?.database ?? (record.databaseName === '' ? null : record.databaseName)
      const outcome = interpreter.interpret(sql, { database })
      assert.equal(outcome.error, null)
      for (const { id } of outcome.needsSchema) found.add(`to be read again: ${id.toString()}`)
      if (outcome.events.length === 0) {
        found.add(`no event: ${record.ddl.slice(0, 30)}`)
        at += pieces
        continue
      }
      assert.equal(outcome.events.length, pieces, record.ddl)
      for (const event of outcome.events) {
        const recorded = records[at++]
        assert.ok(recorded !== undefined)
        for (const difference of recordDifferences(event, recorded)) found.add(difference)
      }
    }

    assert.deepEqual([...found].toSorted(), Object.values(differences).flat().toSorted())
  })
}
