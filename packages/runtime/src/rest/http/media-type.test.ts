import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatMediaType, parseContentType } from './media-type.ts'

/** Content-Type headers that Kafka Connect 4.3.1 parsed, whether or not it then answered 415. */
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

/** Content-Type headers that it answered with 400. */
const malformed = ['', 'garbage', '/', ';', 'application/', 'application/json/x', 'application/json, text/plain']

for (const header of [...malformed, 'application/json;charset', 'application/json;charset=', 'application/json;x="y']) {
  test(`"${header}" is not a media type`, () => {
    assert.equal(parseContentType(header), null)
  })
}
