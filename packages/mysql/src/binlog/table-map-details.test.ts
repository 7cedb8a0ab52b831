import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTableMap } from './table-map.ts'
import { type ColumnDetails, tableMapDetails, type TableMapDetails } from './table-map-details.ts'

/**
 * Bodies of TABLE_MAP_EVENT under `binlog_row_metadata=FULL`, captured from both servers: `CREATE TABLE d.w (id INT
 * UNSIGNED PRIMARY KEY, t TINYINT UNSIGNED, y YEAR, f FLOAT UNSIGNED, de DECIMAL(10,2) UNSIGNED, c CHAR(10) CHARACTER
 * SET latin1, v VARCHAR(300), tx TEXT CHARACTER SET utf8mb3, bl BLOB, bi BINARY(16), e ENUM('a','é','😀') CHARACTER SET
 * utf8mb4, s SET('x','yz') CHARACTER SET latin1, g POINT, j JSON, bt BIT(9), ts TIMESTAMP(3) NULL, d DATETIME NOT NULL,
 * n NCHAR(3), vi INT AS (t+1) VIRTUAL, st INT AS (t+2) STORED, iv INT INVISIBLE)`.
 */
const MYSQL_9_7 =
  '7b000000000001000164000177001503010d04f6fe0ffcfcfefefefff5101112fe030303' +
  '17040a02fe0ab004020 2fe10f701f80104040101030 0fe09feff1e' +
  '0101f803 0808fcff00213f3f21 07010104' +
  '34026964017401790166026465016301760274 7802626c02626901650173016701 6a02627402747301 64016e02 76690273 7402 6976' +
  '0b04fcff0008 050602017802797a 060b0301 6102c3a904f09f9880 080100 0c03fffff0'
const MARIADB_10_11 =
  '20000000000001000164000177001503010d04f6fe0ffcfcfefefefffc101112fe030303' +
  '17040a02fe0ab0040202fe10f701f801040401010300fe09feff1e' +
  '0101f803 08082d213f3f3f2e21 07010104' +
  '340269640174017901660264650163017602747802626c026269016501730167016a026274027473016401 6e02 7669027374026976' +
  '0b022d08 050602017802797a 060b03016102c3a904f09f9880 080100'

function detailsOf(hex: string): TableMapDetails {
  const body = Buffer.from(hex.replaceAll(' ', ''), 'hex')
  return tableMapDetails(parseTableMap(body, 0, body.length))
}

function named({ columns }: TableMapDetails, name: string): Omit<ColumnDetails, 'name'> {
  const found = columns.find((column) => column.name === name)
  assert.ok(found !== undefined, `there is no column ${name}`)
  const { name: _, ...rest } = found
  return rest
}

for (const [server, hex, utf8mb4] of [
  ['MySQL', MYSQL_9_7, 255],
  ['MariaDB', MARIADB_10_11, 45],
] as const) {
  test(`${server}: names, signs, charsets, members, NULL and the primary key of a map with full metadata`, () => {
    const details = detailsOf(hex)
    assert.equal(
      details.columns.map(({ name }) => name).join(' '),
      'id t y f de c v tx bl bi e s g j bt ts d n vi st iv',
    )
    assert.deepEqual([details.hasNames, details.primaryKey], [true, [{ column: 0, prefix: 0 }]])
    const none = {
      isNullable: true,
      isUnsigned: null,
      collation: null,
      members: null,
      geometry: null,
      dimensions: null,
    }
    assert.deepEqual(named(details, 'id'), { ...none, isNullable: false, isUnsigned: true })
    assert.deepEqual(named(details, 'de'), { ...none, isUnsigned: true })
    assert.deepEqual(named(details, 'iv'), { ...none, isUnsigned: false })
    assert.deepEqual(named(details, 'c'), { ...none, collation: 8 })
    assert.deepEqual(named(details, 'v'), { ...none, collation: utf8mb4 })
    assert.deepEqual(named(details, 'tx'), { ...none, collation: 33 })
    assert.deepEqual(named(details, 'bl'), { ...none, collation: 63 })
    assert.deepEqual(named(details, 'n'), { ...none, collation: 33 })
    assert.deepEqual(named(details, 'e'), { ...none, collation: utf8mb4, members: ['a', 'é', '😀'] })
    assert.deepEqual(named(details, 's'), { ...none, collation: 8, members: ['x', 'yz'] })
    assert.equal(named(details, 'd').isNullable, false)
    assert.deepEqual(named(details, 'g'), { ...none, geometry: 'POINT', collation: named(details, 'g').collation })
  })

  test(`${server}: a map that ends anywhere in its metadata has fewer details or is refused, and never hangs`, () => {
    const body = Buffer.from(hex.replaceAll(' ', ''), 'hex')
    for (let end = 66; end < body.length; end++) {
      try {
        const { columns } = tableMapDetails(parseTableMap(body, 0, end))
        assert.equal(columns.length, 21)
      } catch (error) {
        assert.ok(error instanceof RangeError, String(error))
      }
    }
  })
}

test('charsets in the form of a default and exceptions, and a key with a prefix', () => {
  // VARCHAR(10) utf8mb4 NOT NULL, VARCHAR(10) latin1, TEXT utf8mb4: default collation 255, that of column 1 is 8.
  const columns = '03 0f0ffc 05 28000a0002 06'
  const hex = `080000000000 0100 01640001 7400 ${columns} 0205 fcff000108 0902 0005`
  const details = detailsOf(hex)
  assert.deepEqual(
    details.columns.map(({ collation }) => collation),
    [255, 8, 255],
  )
  assert.deepEqual(
    details.columns.map(({ isNullable }) => isNullable),
    [false, true, true],
  )
  assert.deepEqual([details.hasNames, details.primaryKey], [false, [{ column: 0, prefix: 5 }]])
})

/**
 * `CREATE TABLE x.t (id INT PRIMARY KEY, v VECTOR(3), a TEXT CHARACTER SET latin1, b TEXT CHARACTER SET utf8mb4, c
 * VARCHAR(10) CHARACTER SET utf8mb4, d VARBINARY(3))` and `CREATE TABLE x.u (id INT PRIMARY KEY, a VARCHAR(9) CHARACTER
 * SET latin1, v VECTOR(3), b VARCHAR(9) CHARACTER SET gbk, c VARCHAR(9) CHARACTER SET sjis, g GEOMETRY)`, captured from
 * MySQL 9.7.
 */
const WITH_VECTORS = [
  [
    '7b0000000000010001780001740006 03f2fcfc0f0f 07040202280003003e010100 03093f08fcff00fcff003f 0d0103',
    [63, 8, 255, 255, 63],
  ],
  [
    '7b00000000000100017800017500 06030ff20f0fff 0809000412001200043e010100 0304083f1c0d 070100 0d0103',
    [8, 63, 28, 13],
  ],
] as const

for (const [hex, collations] of WITH_VECTORS) {
  test(`a VECTOR counts among the columns with a charset: ${collations.join()}`, () => {
    const found = detailsOf(hex).columns.flatMap(({ collation }) => collation ?? [])
    assert.deepEqual(found, collations)
  })
}

test('a VECTOR counts where most columns have one charset, and few another', () => {
  // (id INT PRIMARY KEY, v VECTOR(3), a TEXT, b TEXT, c TEXT, d TEXT, e TEXT CHARACTER SET latin1), captured from 9.7.
  const details = detailsOf(
    '5500000000000100017800017400 0703f2fcfcfcfcfc 060402020202027e 010100 0207fcff00003f0508 0d0103',
  )
  assert.deepEqual(
    details.columns.map(({ collation }) => collation),
    [null, 63, 255, 255, 255, 255, 8],
  )
})
