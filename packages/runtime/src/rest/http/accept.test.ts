import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseJson, chooseOptions, parseAccept } from './accept.ts'

const malformed = 'malformed'

/** Accept headers with the Content-Type of Kafka Connect 4.3.1's answer; null where it answered 406. */
const accepts: readonly (readonly [header: string | undefined, contentType: string | null])[] = [
  [undefined, 'application/json'],
  ['', 'application/json'],
  ['  ', 'application/json'],
  ['*/*', 'application/json'],
  ['*', 'application/json'],
  ['application/*', 'application/json'],
  ['*/json', 'application/json'],
  ['APPLICATION/JSON', 'application/json'],
  ['application/json;', 'application/json'],
  ['application/json,', 'application/json'],
  ['application/json; charset=utf-8', 'application/json;charset=utf-8'],
  ['application/json; Charset="utf-8"', 'application/json;charset=utf-8'],
  ['application/json;a=b;q=0.5', 'application/json;a=b'],
  ['application/json;q=0.2;x=y', 'application/json;x=y'],
  ['application/*;charset=utf-8', 'application/json'],
  ['*/*;charset=utf-8', 'application/json'],
  ['application/json;q=0.1, */*', 'application/json'],
  ['application/json;v=1, application/json;v=2', 'application/json;v=1'],
  ['text/plain;q=0.9,application/json;x=1;q=0.1,*/*;z=2', 'application/json'],
  ['text/html, application/json', 'application/json'],
  ['text/html;level="a,b", application/json', 'application/json'],
  ['application/xml;q=1, *;q=0.2', 'application/json'],
  ['application/json;q=0', 'application/json'],
  ['*/*;q=0', 'application/json'],
  ['text/html', null],
  ['text/*', null],
  ['garbage', null],
  ['application/vnd.x+json', null],
  [',', malformed],
  ['a/b/c', malformed],
  ['application/', malformed],
  ['/json', malformed],
  ['application/json;charset', malformed],
  ['application/json;q=abc', malformed],
  ['application/json;q=2', malformed],
  ['text/html;x="unclosed, application/json', malformed],
]

for (const [header, contentType] of accepts) {
  test(`the answer to Accept: ${header} has the Content-Type ${contentType}`, () => {
    const accepted = parseAccept(header)
    assert.equal(accepted === null ? malformed : chooseJson(accepted), contentType)
  })
}

/** Accept headers of OPTIONS requests with the Content-Type of Kafka Connect's answer. */
const optionsAccepts: readonly (readonly [header: string | undefined, contentType: string])[] = [
  [undefined, 'text/plain'],
  ['*/*', 'text/plain'],
  ['text/*', 'text/plain'],
  ['text/plain;charset=utf-8', 'text/plain'],
  ['application/json;q=0.5, text/plain', 'text/plain'],
  ['text/plain, application/json', 'text/plain'],
  ['application/json, text/plain', 'application/json'],
  ['application/json;charset=utf-8', 'application/json;charset=utf-8'],
  ['text/html, */*;q=0.1', 'text/html'],
  ['application/*', 'application/*'],
  ['garbage', 'garbage/*'],
]

for (const [header, contentType] of optionsAccepts) {
  test(`the answer to OPTIONS with Accept: ${header} has the Content-Type ${contentType}`, () => {
    assert.equal(chooseOptions(parseAccept(header) ?? []), contentType)
  })
}

test('reads a header with many optional spaces in linear time', () => {
  assert.equal(parseAccept(`a/b${' ; '.repeat(2_000)}!=`), null)
})
