import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withSwappedCoordinates } from './well-known-bytes.ts'

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')

test('members of a collection keep byte orders of their own', () => {
  // POINT(1 2) little-endian, LINESTRING(1 2, 2 1) big-endian, in a big-endian GEOMETRYCOLLECTION of PostGIS’s notation.
  const collection = (little: string, big: string): Buffer =>
    hex(`00 00000007 00000003 01 01000000 ${little} 00 00000002 00000002 ${big} 01 01000000 ${little}`)
  const [one, two] = ['000000000000f03f', '0000000000000040']
  const [oneBig, twoBig] = ['3ff0000000000000', '4000000000000000']
  const swapped = withSwappedCoordinates(collection(`${one}${two}`, `${oneBig}${twoBig} ${twoBig}${oneBig}`))
  assert.deepEqual(Buffer.from(swapped), collection(`${two}${one}`, `${twoBig}${oneBig} ${oneBig}${twoBig}`))
})

test('bytes that are no geometry are refused at once', () => {
  // A list of 2^31 - 1 points, and collections in collections.
  assert.throws(() => withSwappedCoordinates(hex('01 02000000 ffffff7f')), RangeError)
  const nested = Buffer.concat(Array.from({ length: 100_000 }, () => hex('01 07000000 01000000')))
  assert.throws(() => withSwappedCoordinates(nested), /nested more than 100 levels/)
})
