import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogueType } from './column-type.ts'
import { parseTypeSpelling } from './type-spelling.ts'

const NOTHING = { length: null, scale: null, charsetName: null, members: [] }

/** Columns of each type in SHOW CREATE TABLE of MySQL 9.7, from recordings of the reference's history. */
const spellings: readonly (readonly [
  typeName: string,
  length: number | null,
  scale: number | null,
  expected: string,
])[] = [
  ['INT1', null, null, 'TINYINT'],
  ['INT8 UNSIGNED', null, null, 'BIGINT unsigned'],
  ['MIDDLEINT', null, null, 'MEDIUMINT'],
  ['INTEGER UNSIGNED ZEROFILL', 6, null, 'INT(6) unsigned zerofill'],
  ['INTEGER SIGNED', 11, null, 'INT(11)'],
  ['BOOLEAN', null, null, 'TINYINT(1)'],
  ['DEC', 5, 0, 'DECIMAL(5,0)'],
  ['NUMERIC', null, null, 'DECIMAL(10,0)'],
  ['REAL', null, null, 'DOUBLE'],
  ['DOUBLE PRECISION UNSIGNED ZEROFILL', null, null, 'DOUBLE unsigned zerofill'],
  ['FLOAT', 24, null, 'FLOAT'],
  ['FLOAT', 25, null, 'DOUBLE'],
  ['FLOAT', 30, 2, 'FLOAT(30,2)'],
  ['NATIONAL VARCHAR', 10, null, 'VARCHAR(10)'],
  ['NCHAR', 5, null, 'CHAR(5)'],
  ['CHAR VARYING', 7, null, 'VARCHAR(7)'],
  ['VARCHAR BINARY', 7, null, 'VARCHAR(7)'],
  ['CHAR', null, null, 'CHAR(1)'],
  ['LONG VARBINARY', null, null, 'MEDIUMBLOB'],
  ['LONG', null, null, 'MEDIUMTEXT'],
  ['BLOB', 10, null, 'TINYBLOB'],
  ['BLOB', 70_000, null, 'MEDIUMBLOB'],
  ['GEOMCOLLECTION', null, null, 'GEOMETRYCOLLECTION'],
  ['BIT', null, null, 'BIT(1)'],
  ['DATETIME', 3, null, 'DATETIME(3)'],
  ['HYPERCUBE', 3, null, 'UNKNOWN(3)'],
]

for (const [typeName, length, scale, expected] of spellings) {
  test(`${typeName}${length === null ? '' : ` ${length}`} is ${expected}`, () => {
    const type = catalogueType(parseTypeSpelling({ ...NOTHING, typeName, length, scale }))

    const size = type.length === null ? '' : `(${type.length}${type.scale === null ? '' : `,${type.scale}`})`
    const sign = `${type.isUnsigned ? ' unsigned' : ''}${type.isZerofill ? ' zerofill' : ''}`
    assert.equal(`${type.name}${size}${sign}`, expected)
  })
}

test('the size of a TEXT counts characters of its charset', () => {
  const text = { ...NOTHING, typeName: 'TEXT', length: 100 }

  assert.equal(catalogueType(parseTypeSpelling({ ...text, charsetName: 'latin1' })).name, 'TINYTEXT')
  assert.equal(catalogueType(parseTypeSpelling({ ...text, charsetName: 'utf8mb4' })).name, 'TEXT')
})
