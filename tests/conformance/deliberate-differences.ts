import {
  ANY,
  changes,
  DDL,
  type DeliberateDifference,
  type DifferenceRule,
  key,
  record,
  schema,
  statement,
  structure,
  value,
} from './difference-rules.ts'
import { CAPTURED_ONLY } from './deliberate-differences-captured.ts'
import { SIGNALS } from './deliberate-differences-signals.ts'
import { CHARSETS } from './deliberate-differences-charsets.ts'
import { NUMBERS } from './deliberate-differences-numbers.ts'
import { isSameInstant, isSameJsonOfStream, isSameJsonWithoutSpaces } from './same-meaning.ts'

const TEMPORAL: readonly DeliberateDifference[] = [
  {
    defect: 30,
    reason: 'YEAR 0 is 0',
    recordings: /^04_temporal/,
    rules: [value('g_time.times', 'y', [/^(2000|1900)$/, '0']), value('g_time.zeros', 'yn?', [/^(2000|1900)$/, '0'])],
  },
  {
    defect: 30,
    reason: 'YEAR 0 is 0',
    recordings: /^05_temporal_defaults/,
    rules: [
      value('g_tdef.defs', 'yz', [/^(2000|1900)$/, '0']),
      schema('g_tdef.defs2?', 'yz', /^default=2000 /, /^default=0 /),
    ],
  },
  {
    defect: 30,
    reason: 'YEAR 0 is 0',
    recordings: /^94_invalid_dates/,
    rules: [value('g_ids.badnn', 'y', ['1900', '0'])],
  },
  {
    defect: 50,
    reason: 'TIMESTAMP text has as many digits of the fraction as the column, also in a snapshot',
    recordings: /^04_temporal/,
    rules: [value('g_time.stamps', 'ts[1-6]', isSameInstant), value('g_time.zeros', 'tsn', isSameInstant)],
  },
  {
    defect: 50,
    reason: 'TIMESTAMP text has as many digits of the fraction as the column, also in a snapshot',
    recordings: /^05_temporal_defaults/,
    rules: [value('g_tdef.defs', 'ts6', isSameInstant)],
  },
  {
    defect: 50,
    reason: 'TIMESTAMP text has as many digits of the fraction as the column, also in a snapshot',
    recordings: /^m01_types/,
    rules: [value('g_mt.ty', 'ts', isSameInstant)],
  },
  {
    defect: 50,
    reason: 'TIMESTAMP text has as many digits of the fraction as the column, also in a snapshot',
    recordings: /^m02_temporal/,
    rules: [value('g_mtm.tm', 'ts6', isSameInstant)],
  },
  {
    defect: 37,
    reason: 'the zero TIMESTAMP is NULL in the stream, too (the column has a default, which replaces NULL)',
    recordings: /^m02_temporal/,
    rules: [value('g_mtm.tm', 'ts6', ['"1970-01-01T00:00:00.000000Z"', '"2001-01-01T00:00:00.000001Z"'])],
  },
  {
    defect: 67,
    reason: 'a default is the value that the server stores, whatever its form in the statement',
    recordings: /^05_temporal_defaults/,
    rules: [
      schema('g_tdef.defs2', 'dn?', /^(default=(0|"1970-01-01Z") )?name=/, /^default=(18301|"2020-02-09Z") name=/),
      schema('g_tdef.defs2', 't3', /^name=/, /^default=(45296000|45296000000|"12:34:56Z") name=/),
      schema('g_tdef.defs2', 'dt', /^name=/, /^default=(1577836799000|"2019-12-31T23:59:59Z") name=/),
    ],
  },
  {
    reason: 'ON UPDATE current_timestamp() with parentheses also sets the value',
    recordings: /^m02_temporal/,
    rules: [structure('columns\\[ts\\]\\.(autoIncremented|generated)', 'false', 'true')],
  },
]

const LITERALS = 'a default is the value that the server stores, not the digits or pieces of its literal'
const BYTES = 'a character type of the charset binary is the binary type that the server makes of it'

const TEXTS: readonly DeliberateDifference[] = [
  {
    defect: 27,
    reason: 'members of ENUM are their texts, without escapes',
    recordings: /^08_enum_set$/,
    rules: [
      value('g_enum.es', 'eq', [String.raw`"back\\\\slash"`, String.raw`"back\\slash"`]),
      value('g_enum.es', 'eq', [String.raw`"com\\,ma"`, '"com,ma"']),
      schema('g_enum.es2', 'e1', /^default="d''q" /, /^default="d'q" /),
    ],
  },
  {
    defect: 27,
    reason: 'members of ENUM are their texts, without escapes',
    recordings: /^m01_types$/,
    rules: [
      value('g_mt.ty', 'e', [String.raw`"d\\,e"`, '"d,e"']),
      schema('g_mt.ty', 'e', /^default="b''c" /, /^default="b'c" /),
    ],
  },
  {
    defect: 20,
    reason: 'a UUID whose last bytes are zero is not shifted in the stream',
    recordings: /^m01_types$/,
    rules: [
      value('g_mt.ty', 'u', ['"0000123e-4567-e89b-12d3-a45642665544"', '"123e4567-e89b-12d3-a456-426655440000"']),
    ],
  },
  {
    defect: 26,
    reason: 'members outside the BMP are read from the server, since SHOW CREATE TABLE has ? for them',
    recordings: /^08_enum_set$/,
    rules: [
      value('g_enum.es', 'em', ['"?"', '"😀"']),
      schema('g_enum.es', 'em', /"allowed":"\?,漢"/, /"allowed":"😀,漢"/),
      structure('columns\\[em\\]\\.enumValues', /"'\?'"/, /"'😀'"/),
      statement(/`em` enum\('\?','漢'\)/, /`em` enum\('😀','漢'\)/),
    ],
  },
  {
    reason: 'a statement is recorded as it was written',
    recordings: /^06_strings$/,
    rules: [statement(/DEFAULT 'dq \\"\\"x\\"\\" it''s'/, /DEFAULT \\"dq \\"\\"x\\"\\" it's\\"/)],
  },
  {
    reason: 'a statement is recorded as it was written',
    recordings: /^08_enum_set$/,
    rules: [statement(/ENUM\('dq','d''q'\) DEFAULT 'd''q'/, /ENUM\(\\"dq\\",\\"d'q\\"\) DEFAULT \\"d'q\\"/)],
  },
  {
    reason: LITERALS,
    recordings: /^06_strings$/,
    rules: [
      structure('columns\\[[def]\\]\\.defaultValueExpression', /^"(F09F988|N'nat'|a''b|4142)"$/, ANY),
      structure(
        'columns\\[a\\]\\.defaultValueExpression',
        String.raw`"dq \"\"x\"\" it''s"`,
        String.raw`"dq \"x\" it''s"`,
      ),
      schema('g_str.sdef', 'c', /^default="it''s \\"q\\" \\\\\\\\ 100%" /, /^default="it's \\"q\\" \\\\ 100%" /),
      schema('g_str.sdef', 'f', /^default="F09F988" /, /^default="😀" /),
      schema('g_str.sdef2', 'a', /^default="dq \\"\\"x\\"\\" it''s" /, /^default="dq \\"x\\" it's" /),
      schema('g_str.sdef2', 'c', /^default="line\\\\nbreak\\\\ttab" /, /^default="line\\nbreak\\ttab" /),
      schema('g_str.sdef2', 'd', /^default="N'nat'" /, /^default="nat" /),
      schema('g_str.sdef2', 'e', /^default="a''b" /, /^default="ab" /),
      schema('g_str.sdef2', 'f', /^default="4142" /, /^default="AB" /),
    ],
  },
  {
    reason: LITERALS,
    recordings: /^07_binary/,
    rules: [
      structure('columns\\[(d|vx)\\]\\.defaultValueExpression', /^"(FF0|00)"$/, ANY),
      schema('g_bin.bins', 'bd', /^default="(YWJcMA==|61625c30)" /, /^default="(YWIA|616200)" /),
      schema('g_bin.bins', 'vx', /^default="(RkYw|464630)" /, /^default="([/_]wA=|ff00)" /),
      schema('g_bin.binkey', 'd', /^default="(MDA=|3030)" /, /^default="(AAA=|0000)" /),
    ],
  },
  {
    reason: BYTES,
    recordings: /^07_binary/,
    rules: [
      structure('columns\\[[efg]\\]\\.jdbcType', /^(1|12)$/, /^(-2|-3|2004)$/),
      structure('columns\\[[efg]\\]\\.type(Name|Expression)', /^"(CHAR|VARCHAR|TEXT)"$/, /^"(BINARY|VARBINARY|BLOB)"$/),
      structure('columns\\[[efg]\\]\\.charsetName', '"binary"', 'null'),
      value('g_bin.binkey', 'e', ['"e"', /^"(ZQAAAA==|65000000)"$/]),
      value('g_bin.binkey', 'f', [String.raw`"\u0000"`, /^"(AA==|00)"$/]),
      value('g_bin.binkey', 'g', ['"txt"', /^"(dHh0|747874)"$/]),
    ],
  },
  {
    reason: BYTES,
    recordings: /^07_binary$/,
    rules: [schema('g_bin.binkey', '[efg]', /type="string"$/, /type="bytes"$/)],
  },
  {
    reason: BYTES,
    recordings: /^07_binary~/,
    rules: [schema('g_bin.binkey', 'e', /^default="e" /, /^default="(ZQAAAA==|65000000)" /)],
  },
  {
    reason: BYTES,
    recordings: /^06_strings$/,
    rules: [
      structure('columns\\[h\\]\\.jdbcType', '1', '-2'),
      structure('columns\\[h\\]\\.type(Name|Expression)', '"CHAR"', '"BINARY"'),
      structure('columns\\[h\\]\\.charsetName', '"utf8mb3"', 'null'),
      schema('g_str.sdef2', 'h', /type="string"$/, /type="bytes"$/),
    ],
  },
  {
    reason: 'a length of 0 is 0',
    recordings: /^06_strings$/,
    rules: [structure('columns\\[[cv]0\\]\\.length', '10', '0')],
  },
  {
    reason: 'ASCII and UNICODE are charsets',
    recordings: /^06_strings$/,
    rules: [structure('columns\\[[ij]\\]\\.charsetName', '"utf8mb3"', /^"(latin1|ucs2)"$/)],
  },
  {
    defect: 51,
    reason: 'JSON is compact, its scalars as MySQL prints them: the snapshot of the reference has spaces',
    recordings: /^09_json$/,
    rules: [value('g_json.j', 'v|n', isSameJsonWithoutSpaces)],
  },
  {
    defect: 29,
    reason: 'the stream of the reference prints doubles, times and opaque values differently (also 28, 51)',
    recordings: /^09_json$/,
    rules: [value('g_json.j', 'v|n', isSameJsonOfStream)],
  },
  {
    reason: 'JSON is LONGTEXT in MariaDB, as in SHOW CREATE TABLE and the binlog',
    recordings: /^m01_types$/,
    rules: [
      structure('columns\\[j\\]\\.jdbcType', '1111', '12'),
      structure('columns\\[j\\]\\.type(Name|Expression)', '"JSON"', '"LONGTEXT"'),
      structure('columns\\[j\\]\\.charsetName', 'null', '"utf8mb4"'),
      schema('g_mt.ty2', 'j', /name="io.debezium.data.Json"/, /^default="{}" optional=true type="string"$/),
    ],
  },
]

const KEYS: readonly DeliberateDifference[] = [
  {
    defect: 61,
    reason: 'a nullable column identifies no row, even if it is UNIQUE',
    recordings: /^15_keys/,
    rules: [structure('primaryKeyColumnNames', '["a"]', '["b"]'), ...key('g_keys.k2', 'a|b')],
  },
  {
    defect: 62,
    reason: 'a dropped index is noticed; without its primary key a table is identified by a unique key',
    recordings: /^15_keys/,
    rules: [changes('[]', '0'), structure('primaryKeyColumnNames', '[]', '["b"]'), ...key('g_keys.k3', 'b')],
  },
  {
    defect: 60,
    reason: 'a tombstone is useless without a key',
    recordings: /^15_keys$/,
    rules: [record('missing', /^PFX\.g_keys\.(nokey|uniq_null)$/, /^tombstone \(absent\)$/)],
  },
  {
    reason: 'a statement is recorded as it was written',
    recordings: /^15_keys/,
    rules: [statement('"UNIQUE INDEX k3u ON k3 (b)"', '"CREATE UNIQUE INDEX k3u ON k3 (b)"')],
  },
]

const STATEMENTS: readonly DeliberateDifference[] = [
  {
    defect: 22,
    reason: 'the default charset of a table follows ALTER TABLE',
    recordings: /^12_ddl_alter$/,
    rules: [
      structure('defaultCharsetName', '"latin1"', '"utf8mb4"'),
      structure('columns\\[[gh]\\]\\.charsetName', '"latin1"', '"utf8mb4"'),
      value('g_alter.t', 'g', ['"ðŸ˜€"', '"😀"']),
    ],
  },
  {
    reason: 'statements of uncaptured databases are not recorded: this table is read from the server',
    recordings: /^97_rename_into_capture$/,
    rules: [
      { kind: 'payload', topic: DDL, path: /^tableChanges\[0\]\.previousId$/, texts: [/g_rout.*hidden/, '(absent)'] },
    ],
  },
  {
    reason: 'a comment at the end of a statement is part of it: the reference cuts it off in the middle',
    recordings: /^14_identifiers_comments/,
    rules: [statement(/\/\*!50100 PARTITION BY HASH \(id\) PARTITIONS 2"$/, /PARTITIONS 2 \*\/"$/)],
  },
  {
    defect: 21,
    reason: 'a database is known although it had no table when the snapshot was taken',
    recordings: /^14_identifiers_comments/,
    rules: [record('extra', DDL, /^(DROP DATABASE IF EXISTS|CREATE DATABASE|USE) `g_ident`/)],
  },
  {
    defect: 7,
    reason: 'Tributary parses statements that the reference cannot parse, and sends the rows of their tables',
    recordings: /^98_keyword_columns$/,
    rules: [
      changes('[]', '0'),
      record('extra', /^PFX\.g_kw\.k_(auto|engine_attribute|manual|parallel|url|vector)$/, /^c \{"id":1\}$/),
    ],
  },
  {
    defect: 21,
    reason: 'a database is known although it had no table when the snapshot was taken',
    recordings: /^98_keyword_columns$/,
    rules: [record('extra', /^PFX-history$/, /^(DROP DATABASE IF EXISTS|CREATE DATABASE|USE) `g_kw`/)],
  },
  {
    defect: 7,
    reason: 'Tributary parses statements that the reference cannot parse, and sends the rows of their tables',
    recordings: /^m03_ddl$/,
    rules: [changes('[]', '0'), record('extra', /^PFX\.g_md\.per$/, /^[cu] \(absent\)$/)],
  },
  {
    reason: 'a statement that changes no table is not a schema change',
    recordings: /^m03_ddl$/,
    rules: [record('missing', DDL, /^(CREATE|ALTER|DROP) SEQUENCE /)],
  },
  {
    reason: 'ADD COLUMN IF NOT EXISTS keeps the existing column, and CREATE TABLE … LIKE copies its default',
    recordings: /^m03_ddl$/,
    rules: [
      structure('columns\\[x\\]\\.defaultValueExpression', /^(null|\(absent\))$/, '"3"'),
      schema('g_md.(t|lk|lk2)', 'x', /^optional=true/, /^default=3 optional=true/),
    ],
  },
  {
    reason: 'a computed default is a default',
    recordings: /^m03_ddl$/,
    rules: [structure('columns\\[id\\]\\.hasDefaultValue', 'false', 'true')],
  },
  {
    defect: 12,
    reason: 'CREATE OR REPLACE TABLE replaces an existing table',
    recordings: /^m92_create_or_replace$/,
    rules: [changes('[]', '0')],
  },
]

const EXOTIC: readonly DeliberateDifference[] = [
  {
    defect: 7,
    reason: 'Tributary parses statements that the reference cannot parse, and sends the rows of their tables',
    recordings: /^96_ddl_exotic$/,
    rules: [changes('[]', '0'), record('extra', /^PFX\.g_ex\.(e01|e30c|ansi)$/, /^c /)],
  },
  {
    reason: LITERALS,
    recordings: /^96_ddl_exotic$/,
    rules: [
      structure('columns\\[[hs]\\]\\.defaultValueExpression', /^"(1|E9)"$/, /^"(31|é)"$/),
      schema('g_ex.e02', 'h', /^default=1 /, /^default=31 /),
      schema('g_ex.e02', 's', /^default="E9" /, /^default="é" /),
    ],
  },
  {
    reason: 'BOOL is TINYINT(1), as in SHOW CREATE TABLE, so that snapshot and stream agree',
    recordings: /^96_ddl_exotic$/,
    rules: [
      structure('columns\\[(b|bb|c)\\]\\.jdbcType', '16', '5'),
      structure('columns\\[(b|bb|c)\\]\\.type(Name|Expression)', /^"BOOL(EAN)?"$/, '"TINYINT"'),
      structure('columns\\[(b|bb|c)\\]\\.length', /^(null|\(absent\))$/, '1'),
      structure('columns\\[[bt]\\]\\.defaultValueExpression', /^"(TRUE|FALSE)"$/, /^"[01]"$/),
      schema('g_ex.e(04|16|28[bc]?)', 'b|bb|c', /type="boolean"/, /type="int16"/),
      value('g_ex.e(04|28[bc]?)', 'b|bb|c', [/^(true|false)$/, /^[01]$/]),
    ],
  },
  {
    reason: 'FLOAT4 is FLOAT',
    recordings: /^96_ddl_exotic$/,
    rules: [schema('g_ex.e16', 'f', /type="double"$/, /type="float"$/)],
  },
  {
    reason: 'a statement is recorded as it was written',
    recordings: /^96_ddl_exotic$/,
    rules: [
      statement(/'z'''/, /\\"z'\\"/),
      record('missing', DDL, /^ALTER TABLE e28c ADD q .* COMMENT 'dq comment'/),
      record('extra', DDL, /^ALTER TABLE e28c ADD q .* COMMENT "dq comment"/),
    ],
  },
  {
    reason: 'a length of 0 is 0',
    recordings: /^96_ddl_exotic$/,
    rules: [structure('columns\\[nl\\]\\.length', '10', '0')],
  },
  {
    reason: 'a statement that changes no table is not a schema change',
    recordings: /^96_ddl_exotic$/,
    rules: [record('missing', DDL, / EVENT ev\b|SPATIAL REFERENCE SYSTEM|TABLESPACE tsp/)],
  },
]

/**
 * Rules for statements in which the reference and Tributary name different tables. `isCounted`: whether ids are
 * counted.
 */
function swapped(theirs: string, ours: string, isCounted: readonly [string, string]): readonly DifferenceRule[] {
  const rules: readonly DifferenceRule[] = [
    statement(new RegExp(`^"CREATE TABLE \`${theirs}\``), new RegExp(`^"CREATE TABLE \`${ours}\``)),
    structure('columns\\[id\\]\\.(autoIncremented|generated)', ...isCounted),
    {
      kind: 'payload',
      topic: DDL,
      path: /^tableChanges\[0\]\.id$/,
      texts: [new RegExp(`\\b${theirs}\\b`), new RegExp(`\\b${ours}\\b`)],
    },
  ]
  return rules.map((rule) => ({ ...rule, label: new RegExp(`^CREATE TABLE \`${theirs}\``) }))
}

/** Differences in scripts about options. */
const OPTIONS: readonly DeliberateDifference[] = [
  {
    reason: 'tables are in the order of their names, also without a lock: `one` before `two`, whose id is counted',
    recordings: /^19_snapshot_modes~locking-none$/,
    rules: [...swapped('two', 'one', ['true', 'false']), ...swapped('one', 'two', ['false', 'true'])],
  },
  {
    defect: 60,
    reason: 'a tombstone is useless without a key',
    recordings: /^22_smt_topics(?!~(regex-naming|unwrap(-rewrite|-tombstone)?|skip-ops|filter-predicate)$)/,
    rules: [record('missing', /^PFX.*[._](g_smt[._]|routed_)nopk$/, /^tombstone \(absent\)$/)],
  },
  {
    reason: 'a row becomes an event at XA COMMIT: an XA transaction that is rolled back has none',
    recordings: /^16_transactions/,
    rules: [record('missing', /^PFX\.g_tx\.a$/, /^c \{"id":62\}$/)],
  },
  {
    defect: 24,
    reason: 'a change that is written as a statement fails the task: the reference loses its rows and continues',
    recordings: /^24_failures$/,
    rules: [record('missing', /^PFX\.g_fail\.t$/, /^c \{"id":[35]\}$/)],
  },
  {
    defect: 51,
    reason: 'JSON is compact, its scalars as MySQL prints them: the snapshot of the reference has spaces',
    recordings: /^26_snapshot_options(?!~overrides)/,
    rules: [value('g_so.a', 'j', isSameJsonWithoutSpaces)],
  },
  {
    defect: 25,
    reason: 'TIME has its sign and its fraction, whatever snapshot.fetch.size is',
    recordings: /^26_snapshot_options~fetch-size$/,
    rules: [
      value('g_so.a', 't', [/^(43200000000|3020399340000)$/, /^(43200123456|3020399000000)$/]),
      value('g_so.a', 'n', [/^(3600000000|-2861999340000)$/, /^-(3600500000|3020399000000)$/]),
    ],
  },
  {
    defect: 51,
    reason: 'JSON is compact, its scalars as MySQL prints them: the snapshot of the reference has spaces',
    recordings: /^92_json_partial$/,
    rules: [value('g_jp.jp', 'w', isSameJsonWithoutSpaces)],
  },
  {
    defect: 40,
    reason: 'no update is lost: with PARTIAL_JSON the reference drops the updates of JSON columns',
    recordings: /^92_json_partial$/,
    rules: [
      value('g_jp.jp', 'v', [/^"\{\\"a\\": ?[12], ?/, /^"\{\\"a\\":[12],/]),
      value('g_jp.jp', 's', [/^"(t|end)"$/, '"s"']),
      record('extra', /^PFX\.g_jp\.jp$/, /^u \{"id":[12]\}$/),
    ],
  },
  {
    defect: 10,
    reason: 'Tributary reads INET4 and INET6, and sends the rows of their table',
    recordings: /^m07_inet~skip$/,
    rules: [changes('[]', '0'), record('extra', /^PFX\.g_mi\.ip$/, /^c \{"id":[12]\}$/)],
  },
]

/** All deliberate differences between our records and the recordings. */
export const deliberateDifferences: readonly DeliberateDifference[] = [
  ...NUMBERS,
  ...TEMPORAL,
  ...TEXTS,
  ...CHARSETS,
  ...KEYS,
  ...STATEMENTS,
  ...EXOTIC,
  ...OPTIONS,
  ...CAPTURED_ONLY,
  ...SIGNALS,
]
