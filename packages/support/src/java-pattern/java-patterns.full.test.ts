import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JavaPatterns } from './java-patterns.ts'
import { compareWithJava } from './testing/compare-with-java.ts'

for (const ignoresCase of [true, false]) {
  test(`each pattern matches the names that Java matches, or is refused (ignores case: ${ignoresCase})`, () => {
    assert.ok(compareWithJava({ ignoresCase, every: 1 }) > 1_000)
  })
}

test('a name that is too long for any engine is refused when it is read, not when it is first compared', () => {
  assert.throws(() => new JavaPatterns(['.'.repeat(900_000)], { ignoresCase: true }), SyntaxError)
  assert.equal(new JavaPatterns(['a'.repeat(2_000)]).matches('a'.repeat(2_000)), true)
})
