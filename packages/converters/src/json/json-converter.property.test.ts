import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Decimal, DECIMAL_SCHEMA_NAME, Schema, Struct, type ConnectValue } from '@tributary/connect-api'
import { ByteWriter } from '@tributary/support'
import fc from 'fast-check'
import { encodedText, utf16Text } from '@tributary/testkit'
import { JsonConverter } from './json-converter.ts'
import type { JsonOptions } from './json-options.ts'
import { referenceDocument } from '../testing/reference-document.ts'

/** A schema and an arbitrary for its values. */
interface Typed {
  readonly schema: Schema
  readonly value: fc.Arbitrary<ConnectValue>
}

const RUNS = 1500
const MAX_DEPTH = 3

const anyText = fc.string({ unit: 'binary', maxLength: 80 })
const plainText = fc.string({ unit: 'grapheme-ascii', maxLength: 80 })
const repeatedText = fc.constantFrom('mysql-bin.000003', 'inventory', 'é"', '')
/** Texts, short and long, with and without escapes, as strings and as bytes in two charsets. */
const text: fc.Arbitrary<ConnectValue> = fc.oneof(
  repeatedText,
  anyText,
  plainText,
  plainText.map(encodedText),
  anyText.map(encodedText),
  anyText.map(utf16Text),
  fc.tuple(plainText, anyText).map(([start, end]) => encodedText(start.repeat(20) + end)),
)

const int64: fc.Arbitrary<ConnectValue> = fc.oneof(
  fc.maxSafeInteger(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 2n ** 53n, 999_999_999n, 1_000_000_000n, -1_000_000_000n),
)

const scalarTypes: readonly (readonly [Parameters<typeof Schema.of>[0], fc.Arbitrary<ConnectValue>])[] = [
  ['int8', fc.integer({ min: -128, max: 127 })],
  ['int16', fc.integer({ min: -32_768, max: 32_767 })],
  ['int32', fc.integer()],
  ['int64', int64],
  ['float', fc.float()],
  ['double', fc.double()],
  ['boolean', fc.boolean()],
  ['string', text],
  ['bytes', fc.uint8Array({ maxLength: 100 })],
]

/** Adds the attributes that every schema may have, and null values where they are allowed. */
function decorated(schema: Schema, value: fc.Arbitrary<ConnectValue>): fc.Arbitrary<Typed> {
  const defaults = schema.type === 'struct' ? fc.constant(null) : fc.option(value)
  return fc
    .record({ optional: fc.boolean(), name: fc.option(anyText), doc: fc.option(anyText), defaultValue: defaults })
    .map(({ optional, name, doc, defaultValue }) => {
      const isNamed = schema.name === null && name !== null
      const decoratedSchema = schema.with({
        optional,
        ...(isNamed ? { name, version: 1 } : {}),
        ...(doc === null ? {} : { doc, parameters: { ...schema.parameters, b: doc, a: 'x' } }),
        ...(defaultValue === null ? {} : { defaultValue }),
      })
      return { schema: decoratedSchema, value: optional ? fc.option(value) : value }
    })
}

const scalar: fc.Arbitrary<Typed> = fc
  .constantFrom(...scalarTypes)
  .chain(([type, value]) => decorated(Schema.of(type), value))

const decimal: fc.Arbitrary<Typed> = fc.integer({ min: 0, max: 30 }).chain((scale) => {
  const schema = Schema.of('bytes', { name: DECIMAL_SCHEMA_NAME, version: 1, parameters: { scale: `${scale}` } })
  const unscaled = fc.oneof(fc.maxSafeInteger(), fc.bigInt({ min: -(10n ** 65n), max: 10n ** 65n }))
  return decorated(
    schema,
    unscaled.map((digits) => new Decimal(digits, scale)),
  )
})

function typed(depth: number): fc.Arbitrary<Typed> {
  if (depth === 0) return fc.oneof(scalar, decimal)
  const inner = typed(depth - 1)
  const array = inner.chain((item) => decorated(Schema.array(item.schema), fc.array(item.value, { maxLength: 4 })))
  const map = fc
    .tuple(
      scalar.filter(({ schema }) => schema.type === 'int32' || schema.type === 'string'),
      inner,
    )
    .chain(([key, value]) => {
      const entries = fc.array(fc.tuple(key.value, value.value), { maxLength: 4 })
      return decorated(
        Schema.map(key.schema, value.schema),
        entries.map((list) => new Map(list)),
      )
    })
  const struct = fc
    .uniqueArray(fc.tuple(anyText, inner), { maxLength: 5, selector: ([name]) => name })
    .chain((fields) => {
      const schema = Schema.struct(fields.map(([name, field]) => [name, field.schema]))
      return decorated(schema, fc.constant(null)).map(({ schema: whole }) => {
        const values = fc.tuple(...fields.map(([, field]) => field.value)).map((list) => new Struct(whole, list))
        return { schema: whole, value: whole.isOptional ? fc.option(values) : values }
      })
    })
  return fc.oneof(scalar, decimal, array, map, struct, struct)
}

const options: fc.Arbitrary<JsonOptions> = fc.record({
  schemasEnabled: fc.boolean(),
  replaceNullWithDefault: fc.boolean(),
  decimalFormat: fc.constantFrom('BASE64', 'NUMERIC'),
})

function converterOf({ schemasEnabled, replaceNullWithDefault, decimalFormat }: JsonOptions): JsonConverter {
  const converter = new JsonConverter()
  converter.configure(
    {
      'schemas.enable': String(schemasEnabled),
      'replace.null.with.default': String(replaceNullWithDefault),
      'decimal.format': decimalFormat,
    },
    false,
  )
  return converter
}

test('the compiled converter writes the bytes of the plain one for any schema and value', () => {
  const cases = fc
    .tuple(typed(MAX_DEPTH), options)
    .chain(([{ schema, value }, each]) =>
      fc.record({ schema: fc.constant(schema), values: fc.array(value, { maxLength: 4 }), options: fc.constant(each) }),
    )
  fc.assert(
    fc.property(cases, ({ schema, values, options: each }) => {
      const encoder = converterOf(each).encoderFor(schema)
      const prefix = Buffer.from(encoder.prefix).toString()
      for (const value of values) {
        const out = new ByteWriter(1)
        encoder.write(value, out)
        assert.equal(prefix + out.copy().toString(), referenceDocument(schema, value, each))
      }
    }),
    { numRuns: RUNS },
  )
})

test('values without a schema have the bytes of the plain converter', () => {
  const value: fc.Arbitrary<ConnectValue> = fc.letrec<{ any: ConnectValue }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.constant(null),
      text,
      fc.boolean(),
      fc.double(),
      int64,
      fc.uint8Array(),
      fc.array(tie('any'), { maxLength: 4 }),
      fc
        .array(fc.tuple(fc.oneof(anyText, fc.integer()), tie('any')), { maxLength: 4 })
        .map((list) => new Map<ConnectValue, ConnectValue>(list)),
    ),
  })).any
  fc.assert(
    fc.property(value, options, (each, option) => {
      const out = new ByteWriter(1)
      const encoder = converterOf(option).encoderFor(null)
      const hasValue = encoder.write(each, out)
      const document = hasValue ? Buffer.from(encoder.prefix).toString() + out.copy().toString() : null
      assert.equal(document, referenceDocument(null, each, option))
    }),
    { numRuns: RUNS },
  )
})

test('every document without NaN and infinities is JSON with the same text in it', () => {
  const schema = Schema.struct([['text', Schema.of('string')]])
  const converter = new JsonConverter()
  converter.configure({ 'schemas.enable': 'false' }, false)
  fc.assert(
    fc.property(fc.oneof(anyText, anyText.map(encodedText), anyText.map(utf16Text)), (each) => {
      const out = new ByteWriter(1)
      converter.encoderFor(schema).write(new Struct(schema, [each]), out)
      assert.deepEqual(JSON.parse(out.copy().toString()), { text: each.toString() })
    }),
    { numRuns: RUNS },
  )
})
