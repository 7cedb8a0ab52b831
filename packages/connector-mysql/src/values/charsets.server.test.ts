/**
 * Columns of every charset of both servers: the events of a snapshot and of the stream have the values that the server's
 * own SELECT returns.
 */
import { Struct } from '@tributary/connect-api'
import { casesOfTier, type Database, useMariaDb, useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCompleted, isStreaming, type Scene, sceneOf, TaskRun } from '../testing/task-run.ts'

/** Text that each charset has, with trail bytes that look like ASCII (`\` and others) where there are such. */
const SAMPLES: Readonly<Record<string, string>> = {
  armscii8: 'Հայ',
  ascii: 'abc',
  big5: '漢字功許',
  cp1250: 'žluťou',
  cp1251: 'Привет',
  cp1256: 'سلام',
  cp1257: 'ąžuol',
  cp850: 'éñÜ',
  cp852: 'čšž',
  cp866: 'Привет',
  cp932: '表①髙',
  dec8: 'éÿÅ',
  eucjpms: '表①髙丂',
  euckr: '한국똠',
  gb18030: '汉誠㐀😀',
  gb2312: '汉字',
  gbk: '汉字誠',
  geostd8: 'ქართ',
  greek: 'Ελλάδα',
  hebrew: 'שלום',
  hp8: 'éÅÿ',
  keybcs2: 'čšž',
  koi8r: 'Привет',
  koi8u: 'Їжак',
  latin1: 'é€ÿ',
  latin2: 'žluťou',
  latin5: 'ığş',
  latin7: 'ąžuol',
  macce: 'žluťou',
  macroman: 'éÅ∞',
  sjis: '表示ソ',
  swe7: 'ÅÄÖåé',
  tis620: 'ไทย',
  ucs2: '漢é',
  ujis: '表示丂',
  utf16: '漢é😀',
  utf16le: '漢é😀',
  utf32: '漢é😀',
  utf8mb3: '漢é',
  utf8mb4: '漢é😀',
}

for (const [name, use] of casesOfTier('charsets', [
  ['MySQL', useMySql],
  ['MariaDB', useMariaDb],
] as const)) {
  test(`${name}: columns of every charset: snapshot and stream have the values of SELECT`, async (t) => {
    const database = await use()
    const charsets = await charsetsOf(database)
    const scene = await sceneOf(database, definition('texts', charsets))
    const { schema } = scene
    await database.query(`INSERT INTO ${schema}.texts (id) VALUES (1)`)
    const allowed = new Set<unknown>()
    await using run = await TaskRun.start(scene, {})
    run.onRecord = ({ value }) => {
      const row = value instanceof Struct && value.schema.fields[0]?.name === 'before' ? value.get('after') : null
      if (!(row instanceof Struct)) return
      for (const field of row.schema.fields) {
        const [kind, charset = ''] = field.name.split('_')
        const sample = SAMPLES[charset]
        const { defaultValue, parameters } = field.schema
        const found = kind === 'e' || kind === 's' ? [defaultValue, parameters?.['allowed']] : [defaultValue]
        const expected = kind === 'e' || kind === 's' ? [sample, `${sample},x`] : [sample]
        if (kind !== 'id') assert.deepEqual(found, expected, field.name)
        allowed.add(found)
      }
    }
    await run.until(isCompleted)
    // A table that the stream creates, by another statement than SHOW CREATE TABLE.
    await database.query(`USE ${schema}; ${definition('streamed', charsets)};
      INSERT INTO streamed (id) VALUES (1);
      INSERT INTO texts SELECT 2, ${columnsOf(charsets).join(', ')} FROM texts;
      UPDATE texts SET id = 3 WHERE id = 2;
      DELETE FROM texts WHERE id = 1`)
    const sample = charsets.flatMap((charset) => Array.from({ length: KINDS.length }, () => SAMPLES[charset] ?? ''))
    await run.untilChanges(6)

    const server = await selected(database, schema, charsets)
    assert.deepEqual(server, ['3', ...sample])
    const rows = run.events.map(({ op, after, before }) => [op, ...(after ?? before ?? []).slice(1)])
    assert.deepEqual(
      rows,
      ['r', 'c', 'c', 'd', 'c', 'd'].map((op) => [op, ...sample]),
    )
    assert.ok(allowed.size > charsets.length)
    t.diagnostic(`${rows.length * sample.length} cells of ${charsets.length} charsets compared, 0 different`)
  })

  test(`${name}: statements of clients in every charset define names, defaults and members`, async () => {
    const database = await use()
    const scene = await sceneOf(database, 'CREATE TABLE t (id INT PRIMARY KEY)')
    const { schema } = scene
    await using run = await TaskRun.start(scene, { 'snapshot.mode': 'no_data' })
    await run.until(isStreaming)
    const fields = new Map<string, readonly string[]>()
    run.onRecord = ({ topic, value }) => {
      const row = value instanceof Struct && value.schema.fields[0]?.name === 'before' ? value.get('after') : null
      if (row instanceof Struct)
        fields.set(
          topic,
          row.schema.fields.map((field) => field.name),
        )
    }
    const clients = await createAsClients(scene, await charsetsOf(database))
    assert.ok(clients.length >= 30)
    await run.untilChanges(clients.length)

    for (const [i, charset] of clients.entries()) {
      const sample = SAMPLES[charset] ?? ''
      const names = ['id', nameOf(charset), 'quoted', 'e', 'i']
      const rows = await database.query(
        `SELECT column_name AS name FROM information_schema.columns
         WHERE table_schema = '${schema}' AND table_name = 'by_${charset}' ORDER BY ordinal_position`,
      )
      assert.deepEqual(
        rows.map((row) => String(row['name'])),
        names,
        charset,
      )
      assert.deepEqual(fields.get(`${schema}.${schema}.by_${charset}`), names)
      const [row] = await database.query(`SELECT * FROM ${schema}.by_${charset}`)
      assert.deepEqual(Object.values(row ?? {}).map(String), ['1', sample, `a'${sample}`, sample, 'Ã©'], charset)
      assert.deepEqual(run.events[i]?.after, ['1', sample, `a'${sample}`, sample, 'Ã©'], charset)
      assert.ok(
        run.statements.some((sql) => sql.includes(`by_${charset} `) && sql.includes(sample)),
        charset,
      )
    }
  })

  test(`${name}: keys, masks and truncated columns in other charsets`, async () => {
    const database = await use()
    const scene = await sceneOf(
      database,
      `CREATE TABLE k (k VARCHAR(9) CHARACTER SET cp932 PRIMARY KEY, v INT);
       CREATE TABLE m (id INT PRIMARY KEY, t VARCHAR(20) CHARACTER SET gbk, h VARCHAR(70) CHARACTER SET sjis)`,
    )
    const { schema } = scene
    const masks = {
      'column.truncate.to.2.chars': '.*[.]m[.]t',
      'column.mask.hash.v2.SHA-256.with.salt.pepper': '.*[.]m[.]h',
    }
    await using run = await TaskRun.start(scene, { ...masks, 'snapshot.mode': 'no_data' })
    await run.until(isStreaming)
    // Two codes of one character: for consumers, the key does not change.
    await database.query(`USE ${schema}; INSERT INTO k VALUES (_cp932 X'EEEF', 1); UPDATE k SET k = _cp932 X'FA40', v = 2;
      UPDATE k SET k = '表'; INSERT INTO m VALUES (1, '汉字誠', '表ソ')`)
    await run.untilChanges(5)

    const [hash] = await database.query("SELECT SHA2(CONCAT('pepper', '表ソ'), 256) AS h")
    assert.deepEqual(run.changes, ['c ⅰ 1', 'u ⅰ 2', 'd ⅰ 2', 'c 表 2', `c 1 汉字 ${String(hash?.['h'])}`])
  })

  test(`${name}: every character of every charset is the same in snapshot, stream and SELECT`, async (t) => {
    const database = await use()
    const charsets = await charsetsOf(database)
    const scene = await sceneOf(
      database,
      charsets
        .map((each) => `CREATE TABLE c_${each} (id INT PRIMARY KEY, v LONGTEXT CHARACTER SET ${each})`)
        .join('; '),
    )
    const expected = await fillWithCharacters(scene, charsets)
    await using run = await TaskRun.start(scene, {})
    await run.untilChanges(charsets.length)
    await run.until(isCompleted)
    await database.query(
      charsets
        .map((each) => `INSERT INTO ${scene.schema}.c_${each} SELECT 2, v FROM ${scene.schema}.c_${each}`)
        .join(';'),
    )
    await run.untilChanges(2 * charsets.length)

    let compared = 0
    for (const { op, table, after } of run.events) {
      const text = expected.get(table)
      assert.ok(text !== undefined)
      assert.equal(after?.[0], op === 'r' ? '1' : '2')
      assert.ok(after?.[1] === text, `${op} of ${table}: another text than that of SELECT`)
      compared += Array.from(text).length
    }
    t.diagnostic(`${compared} characters compared, 0 different`)
  })
}

async function charsetsOf(database: Database): Promise<readonly string[]> {
  const rows = await database.query(
    "SELECT character_set_name AS name FROM information_schema.character_sets WHERE character_set_name <> 'binary' ORDER BY 1",
  )
  return rows.map(({ name }) => String(name))
}

const KINDS = [
  ['c', () => 'CHAR(10)'],
  ['v', () => 'VARCHAR(10)'],
  ['e', (sample: string) => `ENUM('${sample}', 'x')`],
  ['s', (sample: string) => `SET('${sample}', 'x')`],
] as const

function columnsOf(charsets: readonly string[]): readonly string[] {
  return charsets.flatMap((charset) => KINDS.map(([kind]) => `${kind}_${charset}`))
}

function definition(table: string, charsets: readonly string[]): string {
  const columns = charsets.flatMap((charset) => {
    const sample = SAMPLES[charset] ?? ''
    return KINDS.map(
      ([kind, type]) => `${kind}_${charset} ${type(sample)} CHARACTER SET ${charset} NOT NULL DEFAULT '${sample}'`,
    )
  })
  return `CREATE TABLE ${table} (id INT PRIMARY KEY, ${columns.join(', ')})`
}

async function selected(database: Database, schema: string, charsets: readonly string[]): Promise<readonly string[]> {
  const texts = columnsOf(charsets).map((column) => `CONVERT(${column} USING utf8mb4) AS ${column}`)
  const [row] = await database.query(`SELECT id, ${texts.join(', ')} FROM ${schema}.texts`)
  return Object.values(row ?? {}).map(String)
}

/**
 * Creates a table in a session of each charset that clients may have, with a row of defaults. The last column has a
 * literal whose bytes are those of another charset.
 *
 * @returns the charsets
 */
async function createAsClients({ database, schema }: Scene, charsets: readonly string[]): Promise<readonly string[]> {
  // The driver sends each unit of a statement as one byte, also when it does not learn of other charsets.
  const session = await database.connect('root', { charset: 'latin1' })
  const clients: string[] = []
  try {
    await session.query("SET SESSION session_track_system_variables = ''")
    await session.query(`USE ${schema}`)
    for (const charset of charsets) {
      // It has letters in place of the backquote and the backslash.
      if (charset === 'swe7' || !(await isAccepted(session.query(`SET NAMES ${charset}`)))) continue
      // In armscii8, the servers do not recognise parentheses.
      if (!(await isAccepted(session.query('SELECT (1)')))) continue
      const sample = SAMPLES[charset] ?? ''
      const sql = `CREATE TABLE by_${charset} (id INT PRIMARY KEY, \`${nameOf(charset)}\` VARCHAR(20) NOT NULL DEFAULT '${sample}',
        quoted VARCHAR(20) DEFAULT 'a\\'${sample}', e ENUM('${sample}') DEFAULT '${sample}' COMMENT '${sample}',
        i VARCHAR(9) DEFAULT _latin1 X'C3A9') CHARACTER SET utf8mb4`
      const [row] = await database.query(`SELECT HEX(CONVERT('${sample}' USING ${charset})) AS texts,
        HEX(CONVERT('${nameOf(charset)}' USING ${charset})) AS names`)
      const [ofText, ofName] = [row?.['texts'], row?.['names']].map((hex) =>
        Buffer.from(String(hex), 'hex').toString('latin1'),
      )
      await session.query(sql.replaceAll(sample, ofText ?? '').replaceAll(nameOf(charset), ofName ?? ''))
      await session.query(`INSERT INTO by_${charset} (id) VALUES (1)`)
      clients.push(charset)
    }
  } finally {
    await session.end()
  }
  return clients
}

/** Names have no characters above U+FFFF. */
function nameOf(charset: string): string {
  return (SAMPLES[charset] ?? '').replaceAll(/[\u{10000}-\u{10FFFF}]/gu, '')
}

async function isAccepted(statement: Promise<unknown>): Promise<boolean> {
  return statement.then(
    () => true,
    () => false,
  )
}

/**
 * Fills each table with a row of all texts of one and two bytes, and of the longer codes, that the server accepts as
 * characters.
 *
 * @returns by table, the text of the row
 */
async function fillWithCharacters(
  { database, schema }: Scene,
  charsets: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  const session = await database.connect('root', { multipleStatements: true })
  try {
    const values = Array.from({ length: 256 }, (_, n) => `(X'${n.toString(16).padStart(2, '0')}')`).join(', ')
    await session.query(`USE ${schema}; SET SESSION sql_mode = 'STRICT_ALL_TABLES', group_concat_max_len = 50000000;
      CREATE TEMPORARY TABLE one (b BINARY(1)); INSERT INTO one VALUES ${values};
      CREATE TEMPORARY TABLE another SELECT * FROM one;
      CREATE TEMPORARY TABLE codes (b VARBINARY(4) PRIMARY KEY)`)
    for (const codes of CODES) await session.query(`INSERT INTO codes SELECT ${codes}`)
    for (const charset of charsets) {
      const [answers] = await session.query(
        `SELECT GROUP_CONCAT(HEX(b) ORDER BY b SEPARATOR '') AS h FROM codes
         JOIN information_schema.character_sets ON character_set_name = '${charset}' AND LENGTH(b) <= maxlen
         WHERE HEX(CONVERT(b USING ${charset})) <=> HEX(b) AND HEX(b) RLIKE '${STORED[charset] ?? '.'}'`,
      )
      const [{ h = '' } = {}] = answers as { h?: string }[]
      await session.query(`INSERT INTO c_${charset} VALUES (1, X'${h}')`)
      // In utf8mb4, the charset of the session.
      const [rows] = await session.query({ sql: `SELECT v FROM c_${charset}`, typeCast: (field) => field.buffer() })
      const [row] = rows as { v: Buffer }[]
      const text = textOfServer(row?.v ?? Buffer.alloc(0))
      assert.ok(text.length > 127, charset)
      texts.set(`c_${charset}`, text)
    }
  } finally {
    await session.end()
  }
  return texts
}

/** The servers store surrogates in ucs2, and send three bytes for each that are no UTF-8. */
function textOfServer(sent: Buffer): string {
  return Buffer.from(sent.toString('latin1').replaceAll(/\xed[\xa0-\xbf]./gs, '\xef\xbf\xbd'), 'latin1').toString()
}

/** Texts of one and two bytes, characters of ujis and eucjpms, of gb18030, and beyond U+FFFF in utf32. */
const CODES = [
  'b FROM one',
  'CONCAT(one.b, another.b) FROM one, another',
  "CONCAT(X'8F', one.b, another.b) FROM one, another WHERE one.b >= X'A1'",
  "CONCAT(X'8130', one.b, another.b) FROM one, another WHERE one.b >= X'81' AND another.b BETWEEN X'30' AND X'39'",
  "CONCAT(X'0001', one.b, another.b) FROM one, another WHERE one.b < X'20' AND another.b < X'20'",
]

const EUC = '(A[1-9A-F]|[B-E].|F[0-9A-E])'
/** Charsets of which MySQL converts more than it stores: the digits of what it stores. */
const STORED: Readonly<Record<string, string>> = {
  ascii: '^[0-7].$',
  eucjpms: `^([0-7].|8E(A[1-9A-F]|[BCD].)|(8F)?${EUC}${EUC})+$`,
}
