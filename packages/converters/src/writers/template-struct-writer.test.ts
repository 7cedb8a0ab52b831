import { type ConnectValue, Schema, Schemas, StructTemplate, TemplateStruct } from '@tributary/connect-api'
import { ByteWriter } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TemplateStructWriter } from './template-struct-writer.ts'
import type { ValueWriter } from './value-writer.ts'

const schema = Schema.struct(
  [
    ['shared', Schemas.string],
    ['own', Schemas.string],
  ],
  { name: 'S' },
)
const varying = [1]

function textOf(value: ConnectValue): string {
  assert.ok(typeof value === 'string')
  return value
}

/** Returns the shared values that are encoded while structs of these templates are written in this order. */
function writtenFor(names: readonly string[]): string[] {
  const written: string[] = []
  const writeShared: ValueWriter = (value, out) => {
    written.push(textOf(value))
    out.ascii(`[${textOf(value)}]`)
  }
  const writer = new TemplateStructWriter([writeShared, (value, out) => out.ascii(textOf(value))])
  const templates = new Map(names.map((name) => [name, new StructTemplate(schema, [name, ''], varying)]))
  const out = new ByteWriter(4)
  for (const name of names) {
    out.reset()
    writer.write(new TemplateStruct(templates.get(name) as StructTemplate, ['own']), out)
    assert.equal(out.copy().toString(), `[${name}]own`)
  }
  return written
}

test('the shared fields of up to four templates are encoded once each, in any order of use', () => {
  const turns = ['a', 'b', 'c', 'd']
  assert.deepEqual(writtenFor([...turns, ...turns, ...turns.toReversed(), ...turns]), turns)
})

test('a fifth template replaces the one that was encoded the longest time ago', () => {
  assert.deepEqual(writtenFor(['a', 'b', 'c', 'd', 'e', 'b', 'c', 'd', 'e']), ['a', 'b', 'c', 'd', 'e'])
  assert.deepEqual(writtenFor(['a', 'b', 'c', 'd', 'e', 'a', 'c', 'd', 'e']), ['a', 'b', 'c', 'd', 'e', 'a'])
})

test('a value that the previous template has as well is copied, not encoded again', () => {
  const first = new StructTemplate(schema, ['same', ''], varying)
  const second = new StructTemplate(schema, ['same', ''], varying)
  let count = 0
  const writer = new TemplateStructWriter([
    (value, out) => {
      count += 1
      out.ascii(textOf(value))
    },
    (value, out) => out.ascii(textOf(value)),
  ])
  const out = new ByteWriter(4)
  writer.write(new TemplateStruct(first, ['1 ']), out)
  writer.write(new TemplateStruct(second, ['2']), out)

  assert.equal(out.copy().toString(), 'same1 same2')
  assert.equal(count, 1)
})
