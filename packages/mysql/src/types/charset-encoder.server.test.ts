import assert from 'node:assert/strict'
import { test } from 'node:test'
import { uniqueName, useMariaDb, useMySql } from '@tributary/testkit'
import { charsetEncoder, storedText } from './charset-encoder.ts'

/** Charsets with a text that they have, and one that they lack in part. */
const TEXTS: readonly (readonly [charset: string, text: string, other: string])[] = [
  ['ascii', 'a~', 'é'],
  ['latin1', 'é€', '漢😀'],
  ['cp1251', 'Привет', 'é'],
  ['swe7', 'ÅÄö', 'a[é]'],
  ['gbk', '汉字誠', 'é😀'],
  ['gb2312', '汉字', '誠'],
  ['big5', '功許', '汉'],
  ['sjis', '表ソｶﾅ', '①'],
  ['ujis', '表ソｶ丂', '①'],
  ['eucjpms', '表①丂', 'é한'],
  ['euckr', '한국', 'é'],
  ['utf8mb3', '漢', '😀a'],
  ['ucs2', '漢a', '😀'],
  ['utf16', '漢😀', ''],
  ['utf16le', '漢😀', ''],
  ['utf32', '漢😀', ''],
  ['utf8mb4', '漢😀', ''],
]

for (const [name, use] of [
  ['MySQL', useMySql],
  ['MariaDB', useMariaDb],
] as const) {
  test(`${name} has the same bytes for texts, and the same question marks in members`, async () => {
    const server = await use()
    const table = uniqueName('members')
    const columns = TEXTS.map(([charset, text, other], i) => `c${i} ENUM('${text}${other}') CHARACTER SET ${charset}`)
    await server.query(`CREATE DATABASE IF NOT EXISTS charset_test; USE charset_test; CREATE TABLE ${table} (${columns.join(', ')});
      INSERT INTO ${table} VALUES (${TEXTS.map(() => '1').join(', ')})`)
    const [stored] = await server.query(`SELECT * FROM charset_test.${table}`)

    for (const [i, [charset, text, other]] of TEXTS.entries()) {
      const [row] = await server.query(`SELECT HEX(CONVERT('${text}' USING ${charset})) AS h`)
      assert.equal(charsetEncoder(charset)?.(text)?.toString('hex').toUpperCase(), row?.['h'], charset)
      assert.equal(storedText(`${text}${other}`, charset), stored?.[`c${i}`], charset)
    }
  })
}

test('a text whose bytes are not known has none', () => {
  assert.equal(charsetEncoder('latin1')?.('漢'), null)
  assert.equal(charsetEncoder('utf8mb4')?.('a\uFFFD'), null)
  // Two codes.
  assert.equal(charsetEncoder('cp932')?.('ⅰ'), null)
  assert.equal(charsetEncoder('hp9'), null)
})
