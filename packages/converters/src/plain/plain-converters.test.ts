import type { ConverterPlugin, HeaderConverterPlugin, Schema } from '@tributary/connect-api'
import { ByteWriter, CodedError } from '@tributary/support'
import { encodedText, plainText, readSchema, readValue, type TextReader } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { converterPlugins } from '../plugins.ts'
import { headerBytes } from '../testing/header-bytes.ts'
import { expectedBytes, oracleLines, type OracleLine, type OracleOutcome } from '../testing/oracle-fixtures.ts'

/** What a class of Java makes of a value: `fixtures/PlainOracle.java` recorded it. */
interface PlainLine extends OracleLine, OracleOutcome {
  readonly converter: string
  readonly options: Readonly<Record<string, string>>
  /** As a header converter. */
  readonly header?: OracleOutcome
}

const lines = oracleLines<PlainLine>('plain-converters.jsonl')

function converterPlugin(className: string): ConverterPlugin {
  const plugin = converterPlugins.find((each) => each.type === 'converter' && each.className === className)
  assert.ok(plugin?.type === 'converter', className)
  return plugin
}

function headerPlugin(className: string): HeaderConverterPlugin {
  const plugin = converterPlugins.find((each) => each.type === 'header_converter' && each.className === className)
  assert.ok(plugin?.type === 'header_converter', className)
  return plugin
}

function schemaOf({ schema }: PlainLine): Schema | null {
  return schema === null ? null : readSchema(schema)
}

function convert(line: PlainLine, textOf: TextReader): Buffer | null {
  const converter = converterPlugin(line.converter).create()
  converter.configure(line.options, false)
  const schema = schemaOf(line)
  const encoder = converter.encoderFor(schema, 't')
  const out = new ByteWriter(1)
  out.write(encoder.prefix)
  return encoder.write(readValue(schema, line.value, textOf), out) ? out.copy() : null
}

/** Java's error about a missing delegate contains the value, which may be a secret: only its end is compared. */
function comparable(error: string): string {
  return error.trimEnd().replace(/^A topic of type '.*' requires/s, 'requires')
}

function compare(line: PlainLine, outcome: OracleOutcome, run: () => Uint8Array | null): void {
  const place = `${line.converter} ${JSON.stringify(line.options)} ${line.name} ${JSON.stringify(line.value)}`
  const { error } = outcome
  if (error === undefined) {
    const actual = run()
    assert.deepEqual(actual === null ? null : Buffer.from(actual), expectedBytes(outcome), place)
    return
  }
  assert.throws(
    run,
    (thrown) =>
      thrown instanceof CodedError &&
      thrown.name === 'org.apache.kafka.connect.errors.DataException' &&
      thrown.message.includes(comparable(error)),
    `${place}: ${error}`,
  )
}

test('the recording has each converter and each kind of value', () => {
  assert.equal(new Set(lines.map(({ converter }) => converter)).size, 11)
  assert.ok(lines.length > 1_700)
  assert.ok(new Set(lines.map(({ name }) => name)).size > 40)
})

for (const [kind, textOf] of Object.entries({ plainText, encodedText })) {
  test(`converters of single values write Java's bytes and fail with Java's errors (${kind})`, () => {
    for (const line of lines) compare(line, line, () => convert(line, textOf))
  })
}

test('as header converters they write the same as in Java', () => {
  const asHeaders = lines.flatMap((line) => (line.header === undefined ? [] : [{ line, header: line.header }]))
  assert.ok(asHeaders.length > 900)
  for (const { line, header } of asHeaders) {
    compare(line, header, () => {
      const converter = headerPlugin(line.converter).create()
      converter.configure(line.options)
      const schema = schemaOf(line)
      return headerBytes(converter, schema, readValue(schema, line.value, plainText))
    })
  }
})

test('an error of a delegating converter does not contain the value', () => {
  const converter = converterPlugin('io.debezium.converters.BinaryDataConverter').create()
  converter.configure({}, false)
  const encoder = converter.encoderFor(readSchema({ type: 'string' }), 't')
  assert.throws(
    () => encoder.write('secret', new ByteWriter(16)),
    (error) => error instanceof CodedError && error.code === 'DELEGATE_REQUIRED' && !error.message.includes('secret'),
  )
})

test('an unknown delegate is refused with the option and the class', () => {
  const converter = converterPlugin('io.debezium.converters.BinaryDataConverter').create()
  assert.throws(
    () => converter.configure({ 'delegate.converter.type': 'com.example.No' }, false),
    (error) =>
      error instanceof CodedError &&
      error.code === 'CONVERTER_OPTION' &&
      error.message.includes('delegate.converter.type=com.example.No'),
  )
})

test('numbers that do not fit the type are refused, never wrapped', () => {
  const table = [
    ['Short', 'int16', 32_768],
    ['Integer', 'int32', 2 ** 31],
    ['Integer', 'int32', 0.5],
    ['Long', 'int64', 2 ** 53],
    ['Long', 'int64', 2n ** 63n],
  ] as const
  for (const [name, type, value] of table) {
    const converter = converterPlugin(`org.apache.kafka.connect.converters.${name}Converter`).create()
    converter.configure({}, true)
    const encoder = converter.encoderFor(readSchema({ type }), 't')
    assert.throws(
      () => encoder.write(value, new ByteWriter(16)),
      (error) => error instanceof CodedError && error.code === 'VALUE_MISFIT' && error.message.includes('field key'),
      `${name} ${value}`,
    )
  }
})
