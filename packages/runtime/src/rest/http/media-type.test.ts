import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatMediaType, parseContentType } from './media-type.ts'

/** Content-Type headers that Kafka Connect 4.3.1 read, whether it then took JSON or not. */
const wellFormed: readonly (readonly [header: string, formatted: string])[] = [
  ['application/json', 'application/json'],
  ['  application/JSON', 'application/json'],
  ['application/json;', 'application/json'],
  ['application/json ; charset=utf-8', 'application/json;charset=utf-8'],
  ['application/json;Charset="UTF-8"', 'application/json;charset=UTF-8'],
  ['multipart/form-data; boundary="a b\\"c"', 'multipart/form-data;boundary="a b\\"c"'],
  ['*/*', '*/*'],
]

for (const [header, formatted] of wellFormed) {
  test(`reads the media type ${header}`, () => {
    const mediaType = parseContentType(header)
    assert.equal(mediaType === null ? null : formatMediaType(mediaType), formatted)
  })
}

/** Content-Type headers to which it answered 400. */
const malformed = ['', 'garbage', '/', ';', 'application/', 'application/json/x', 'application/json, text/plain']

for (const header of [...malformed, 'application/json;charset', 'application/json;charset=', 'application/json;x="y']) {
  test(`reads no media type in "${header}"`, () => {
    assert.equal(parseContentType(header), null)
  })
}
