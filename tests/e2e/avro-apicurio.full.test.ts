/** Apicurio Registry by its own interface: lookups, refusals, and the contents of the registry afterwards. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Schema, Schemas, Struct } from '@tributary/connect-api'
import { apicurioAvroConverterPlugin } from '@tributary/converters'
import { ByteWriter, CodedError } from '@tributary/support'
import { type RegistryServer, startRegistry } from '@tributary/testkit'

const { signal } = new AbortController()
let registry: RegistryServer

before(async () => {
  registry = await startRegistry()
})
after(() => registry[Symbol.asyncDispose]())

/** The event of a row with these columns, nullable or not. */
function eventOf(columns: readonly string[], optional = true, table = 'p.t'): Schema {
  const fields = columns.map((name): [string, Schema] => [name, Schema.of('int32', { optional })])
  const row = Schema.struct(fields, { name: `${table}.Value`, optional: true })
  return Schema.struct(
    [
      ['before', row],
      ['after', row],
      ['op', Schemas.string],
    ],
    { name: `${table}.Envelope` },
  )
}

/** The id that the converter writes for the schema. */
async function idOf(topic: string, schema: Schema, options: Readonly<Record<string, string>>): Promise<number> {
  const converter = apicurioAvroConverterPlugin.create()
  converter.configure({ 'apicurio.registry.url': registry.url, ...prefixed(options) }, false)
  await converter.register?.(schema, topic, signal)
  const out = new ByteWriter()
  converter.encoderFor(schema, topic).write(new Struct(schema, [null, null, 'c']), out)
  return out.copy().readInt32BE(1)
}

function prefixed(options: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [`apicurio.registry.${name}`, value]))
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (error) {
    assert.ok(error instanceof CodedError)
    return `${error.code}: ${error.message}`
  }
  return assert.fail('it was not refused')
}

for (const [form, dereferences] of [
  ['in parts', 'false'],
  ['whole', 'true'],
] as const) {
  const form_ = { 'dereference-schema': dereferences }
  const registers = { ...form_, 'auto-register': 'true' }

  test(`${form}: without auto-registration, a schema must exist, in the newest version or an older one`, async () => {
    const topic = `found-${dereferences}`
    const [narrow, wide] = [eventOf(['a']), eventOf(['a', 'b'])]
    assert.match(await codeOf(idOf(topic, narrow, form_)), new RegExp(`^SCHEMA_NOT_REGISTERED: .*${topic}-value`))
    const id = await idOf(topic, narrow, registers)
    assert.equal(await idOf(topic, narrow, form_), id)
    assert.equal(await idOf(topic, narrow, registers), id)
    const next = await idOf(topic, wide, registers)
    assert.notEqual(next, id)
    assert.equal(await idOf(topic, wide, form_), next)
    if (dereferences === 'true') assert.equal(await idOf(topic, narrow, form_), id)
  })

  test(`${form}: the latest version is written if it has the same fields`, async () => {
    const topic = `latest-${dereferences}`
    const latest = { ...form_, 'find-latest': 'true' }
    assert.match(await codeOf(idOf(topic, eventOf(['a']), latest)), /^SCHEMA_NOT_REGISTERED/)
    const id = await idOf(topic, eventOf(['a']), registers)
    assert.equal(await idOf(topic, eventOf(['a']), latest), id)
    assert.match(await codeOf(idOf(topic, eventOf(['a', 'b']), latest)), /^SCHEMA_NOT_THE_LATEST: .*\bb\b/)
  })

  test(`${form}: the error of a schema that a rule forbids names the version and the fields`, async () => {
    const topic = `ruled-${dereferences}`
    const table = `ruled_${dereferences}`
    await idOf(topic, eventOf(['a'], true, table), registers)
    // The event's schema refers to the row's by name and stays the same.
    const artifact = dereferences === 'true' ? `${topic}-value` : `${table}.Value`
    const path = `${registry.url}/apis/registry/v3/groups/default/artifacts/${artifact}/rules`
    const rule = { ruleType: 'COMPATIBILITY', config: 'BACKWARD' }
    const headers = { 'Content-Type': 'application/json' }
    assert.equal((await fetch(path, { method: 'POST', headers, body: JSON.stringify(rule) })).status, 204)
    await idOf(topic, eventOf(['a', 'b'], true, table), registers)
    const refusal = await codeOf(idOf(topic, eventOf(['a', 'c'], false, table), registers))
    assert.match(refusal, new RegExp(`^SCHEMA_INCOMPATIBLE: .*${artifact}.*version 2 .*\\bc \\(int\\) is new`))
  })

  test(`${form}: a preview reports what a rule forbids, and registers nothing`, async () => {
    const [topic, table] = [`preview-${dereferences}`, `preview_${dereferences}`]
    const converter = apicurioAvroConverterPlugin.create()
    converter.configure({ 'apicurio.registry.url': registry.url, ...prefixed(registers) }, false)
    await idOf(topic, eventOf(['a'], true, table), registers)
    const artifact = dereferences === 'true' ? `${topic}-value` : `${table}.Value`
    const path = `${registry.url}/apis/registry/v3/groups/default/artifacts/${artifact}`
    const body = JSON.stringify({ ruleType: 'COMPATIBILITY', config: 'BACKWARD' })
    await fetch(`${path}/rules`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
    const previewOf = async (schema: Schema): Promise<boolean | undefined> =>
      (await converter.checkCompatibility?.(schema, topic, signal))?.isAccepted
    assert.equal(await previewOf(eventOf(['a', 'b'], true, table)), true)
    assert.equal(await previewOf(eventOf(['a', 'c'], false, table)), false)
    const { count } = (await (await fetch(`${path}/versions`)).json()) as { readonly count: number }
    assert.equal(count, 1)
  })
}
