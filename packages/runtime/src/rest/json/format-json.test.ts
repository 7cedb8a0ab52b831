import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatJson } from './format-json.ts'

/** Names and values, as Kafka Connect 4.3.1 wrote them in its answers. */
const texts: readonly (readonly [value: unknown, text: string])[] = [
  [{ a: [1, null, true], b: {} }, '{"a":[1,null,true],"b":{}}'],
  ['é ü 日 \u2028 \u007f /', '"é ü 日 \u2028 \u007f /"'],
  ['😀', String.raw`"\uD83D\uDE00"`],
  ['\ud83dx', String.raw`"\uD83Dx"`],
  ['\b\t\n\f\r"\\', String.raw`"\b\t\n\f\r\"\\"`],
  ['\u0001\u001f', String.raw`"\u0001\u001F"`],
  [String.raw`\u001f \\ud83d`, String.raw`"\\u001f \\\\ud83d"`],
  [String.raw`\u001f` + '\u001f😀', String.raw`"\\u001f\u001F\uD83D\uDE00"`],
]

for (const [value, text] of texts) {
  test(`writes ${text} as Kafka Connect does`, () => {
    assert.equal(formatJson(value), text)
  })
}

test('a whole number beyond 2^53 keeps its digits', () => {
  assert.equal(formatJson({ pos: 9007199254740993n }), '{"pos":9007199254740993}')
})
