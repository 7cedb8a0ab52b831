import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTypeSpelling } from '@tributary/mysql'
import type { ChunkKey, KeyPart } from '../chunks/chunk-key.ts'
import { javaKeyOf, pointOfJavaKey } from './java-key.ts'

function keyOf(...types: readonly string[]): ChunkKey {
  const parts = types.map((typeName): KeyPart => {
    const type = parseTypeSpelling({ typeName, length: null, scale: null, charsetName: null, members: [] })
    return { name: 'k', column: '`k`', compared: '`k`', select: '`k`', literal: (value) => value, type }
  })
  return { parts, index: null }
}

/** Written by ObjectOutputStream of Java 17. */
const OF_JAVA = {
  ten: 'aced0005757200135b4c6a6176612e6c616e672e4f626a6563743b90ce589f1073296c020000787000000001737200116a6176612e6c616e672e496e746567657212e2a0a4f781873802000149000576616c7565787200106a6176612e6c616e672e4e756d62657286ac951d0b94e08b02000078700000000a',
  abc: 'aced0005757200135b4c6a6176612e6c616e672e4f626a6563743b90ce589f1073296c020000787000000001740003616263',
}

test('keys are those that Java serializes, and are read again', () => {
  assert.equal(javaKeyOf(keyOf('INT'), ['10']), OF_JAVA.ten)
  assert.equal(javaKeyOf(keyOf('VARCHAR'), ['utf8mb4:616263']), OF_JAVA.abc)
  assert.deepEqual(pointOfJavaKey(keyOf('INT'), OF_JAVA.ten), ['10'])
  assert.deepEqual(pointOfJavaKey(keyOf('VARCHAR'), OF_JAVA.abc), ['utf8mb4:616263'])
})

test('several values of one class refer to its description', () => {
  const key = keyOf('INT', 'BIGINT', 'VARCHAR', 'INT', 'VARCHAR')
  const point = ['-1', '-9223372036854775808', 'utf8mb4:c3a4', '2147483647', 'utf8mb4:c3a4']
  const hex = javaKeyOf(key, point)
  assert.deepEqual(pointOfJavaKey(key, hex ?? ''), point)
  assert.match(hex ?? '', /73(71007e0002)7fffffff(71007e[\da-f]{4})$/)
})

test('values that the form does not have are not written, and other bytes are not read', () => {
  assert.equal(javaKeyOf(keyOf('BIGINT UNSIGNED'), ['1']), null)
  assert.equal(javaKeyOf(keyOf('VARCHAR'), ['latin1:e4']), null)
  for (const hex of ['', 'aced000570', 'xx', OF_JAVA.ten.slice(0, -2), `${OF_JAVA.ten}00`]) {
    assert.equal(pointOfJavaKey(keyOf('INT'), hex), null, hex)
  }
  assert.equal(pointOfJavaKey(keyOf('INT'), OF_JAVA.abc), null)
  assert.equal(pointOfJavaKey(keyOf('INT', 'INT'), OF_JAVA.ten), null)
})
