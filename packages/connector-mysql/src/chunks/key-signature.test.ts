import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChunkKey } from './chunk-key.ts'
import { keySignature } from './key-signature.ts'

const key = { parts: [{ name: 'k`1' }], index: null } as unknown as ChunkKey

/** As MySQL prints it. */
const created = (column: string, options: string): string =>
  `CREATE TABLE \`t\` (\n  \`k\` int,\n  ${column},\n  PRIMARY KEY (\`k\`\`1\`)\n) ENGINE=InnoDB ${options}`

test('the signature changes with the type and the collation of the key, and with nothing else', () => {
  const text = keySignature(created('`k``1` varchar(5) NOT NULL', 'AUTO_INCREMENT=5 DEFAULT CHARSET=latin1'), key)
  assert.equal(text, '`k``1` varchar(5) NOT NULL CHARSET=latin1')
  assert.equal(
    keySignature(created('`k``1` varchar(5) NOT NULL', 'AUTO_INCREMENT=9 DEFAULT CHARSET=latin1'), key),
    text,
  )
  for (const other of [
    created('`k``1` varchar(5) COLLATE latin1_bin NOT NULL', 'DEFAULT CHARSET=latin1'),
    created('`k``1` varchar(5) NOT NULL', 'DEFAULT CHARSET=latin1 COLLATE=latin1_bin'),
    created('`k``1` int NOT NULL', 'DEFAULT CHARSET=latin1'),
  ]) {
    assert.notEqual(keySignature(other, key), text)
  }
})

for (const [server, partitions] of [
  ['MySQL', '\n/*!50100 PARTITION BY KEY (`k``1`)\nPARTITIONS 2 */'],
  ['MySQL', "\n/*!50500 PARTITION BY RANGE  COLUMNS(`k``1`)\n(PARTITION p0 VALUES LESS THAN ('m') ENGINE = InnoDB) */"],
  ['MariaDB', '\n PARTITION BY KEY (`k``1`)\nPARTITIONS 2'],
] as const) {
  test(`the signature of a partitioned table of ${server} has the collation of the table: ${partitions.trim()}`, () => {
    const signature = (options: string): string =>
      keySignature(created('`k``1` varchar(5) NOT NULL', `${options}${partitions}`), key)
    assert.equal(signature('DEFAULT CHARSET=latin1'), '`k``1` varchar(5) NOT NULL CHARSET=latin1')
    for (const other of ['DEFAULT CHARSET=utf8mb4', 'DEFAULT CHARSET=latin1 COLLATE=latin1_bin'])
      assert.notEqual(signature(other), signature('DEFAULT CHARSET=latin1'))
  })
}
