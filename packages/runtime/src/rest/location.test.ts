import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectorPath } from './location.ts'

/** Names with the paths that Kafka Connect 4.3.1 sent in `Location`. It fails for braces; that path is our own. */
const paths: readonly (readonly [name: string, path: string])[] = [
  ['inventory', '/connectors/inventory'],
  ['a b', '/connectors/a%20b'],
  ['lo%41', '/connectors/lo%41'],
  ['lo%zz', '/connectors/lo%25zz'],
  ['lo%', '/connectors/lo%25'],
  ['lo+a b', '/connectors/lo+a%20b'],
  ['lo~!@$^*()_-=[]|:,.`', '/connectors/lo~!@$%5E*()_-=%5B%5D%7C:,.%60'],
  ['😀lo', '/connectors/%F0%9F%98%80lo'],
  ['lo;a=b', '/connectors/lo;a=b'],
  ['lo\u00a0', '/connectors/lo%C2%A0'],
  ['..', '/connectors/..'],
  ['lo\ud83dx', '/connectors/lo%3Fx'],
  ['a/b', '/connectors/a/b'],
  ['c04?#&;=\'"<>\\', "/connectors/c04%3F%23&;='%22%3C%3E%5C"],
  ['lo{x}', '/connectors/lo%7Bx%7D'],
]

for (const [name, path] of paths) {
  test(`the path of the connector ${name} is ${path}`, () => {
    assert.equal(connectorPath(name), path)
  })
}
