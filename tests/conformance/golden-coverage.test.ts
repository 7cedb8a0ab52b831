/** Each variant of each recorded script runs in Avro, or is excluded for a reason that a test here checks. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { ConfigDef } from '@tributary/connect-api'
import { laterProperties, mariadbConnectorPlugin, mysqlConnectorPlugin } from '@tributary/connector-mysql'
import { connectorKeys, Plugins, stageKeys } from '@tributary/runtime'
import { transformationPlugins } from '@tributary/transforms'
import { avroCases } from './avro/avro-cases.ts'
import { loadScript } from './conformance.ts'
import type { GoldenScript } from './golden-script.ts'
import { leftOut, ignored } from './left-out.ts'

const names = readdirSync(new URL('../../fixtures/golden/scripts/', import.meta.url)).map((file) =>
  file.replace(/\.sql$/, ''),
)
const scripts = new Map(names.map((name) => [name, loadScript(name)]))

function scriptOf(name: string): GoldenScript {
  const script = scripts.get(name)
  assert.ok(script !== undefined, `there is no script ${name}`)
  return script
}

/** The recordings of a script; the empty name is the script without a variant. */
function recordedVariants({ hasDefault, variants }: GoldenScript): readonly string[] {
  return [...(hasDefault ? [''] : []), ...Object.keys(variants)]
}

const labelOf = (name: string, variant: string): string => (variant === '' ? name : `${name}~${variant}`)
const cases = new Set(avroCases.flatMap(({ name, variants = [''] }) => variants.map((each) => labelOf(name, each))))
const excused = leftOut.flatMap(({ script, variants, why }) => variants.map((variant) => ({ script, variant, why })))

const ignoredOf = new Map(
  ignored.flatMap(({ script, variants, properties }) =>
    variants.map((variant) => [labelOf(script, variant), properties] as const),
  ),
)

test('each variant of the 49 scripts runs in Avro or is excluded, not both', (context) => {
  const recorded = [...scripts].flatMap(([name, script]) => recordedVariants(script).map((each) => labelOf(name, each)))
  const others = excused.map(({ script, variant }) => labelOf(script, variant))

  assert.equal(scripts.size, 49)
  assert.deepEqual(
    recorded.filter((label) => cases.has(label) === others.includes(label)),
    [],
  )
  assert.deepEqual(
    others.filter((label) => !recorded.includes(label)),
    [],
  )
  const inAvro = recorded.filter((label) => cases.has(label))
  const inAvroScripts = new Set(inAvro.map((label) => label.split('~', 1)[0]))
  context.diagnostic(
    `${scripts.size} scripts, ${recorded.length} variants; in Avro ${inAvroScripts.size} scripts, ${inAvro.length} variants, ` +
      `of which ${ignoredOf.size} set an ignored property; excluded ${others.length} variants`,
  )
})

test('ignored properties belong to cases', () => {
  assert.deepEqual(
    [...ignoredOf.keys()].filter((label) => !cases.has(label)),
    [],
  )
})

for (const { script, variant, why } of excused) {
  test(`${labelOf(script, variant)} is excluded for a true reason`, () => {
    const golden = scriptOf(script)
    const properties = golden.variants[variant] ?? {}
    if ('refused' in why) {
      assert.ok(Object.hasOwn(properties, why.refused))
      assert.ok(refusedOf(golden, properties).includes(why.refused))
    } else if ('ignored' in why) {
      assert.ok(Object.hasOwn(properties, why.ignored))
      assert.deepEqual(refusedOf(golden, properties), [])
      assert.ok(ignoredBy(golden, properties).includes(why.ignored))
    } else if ('sharedTable' in why) assert.ok(Object.hasOwn(golden.config, why.sharedTable))
    else assert.ok(cases.has(labelOf(script, why.sameAs)))
  })
}

for (const { name, variants = [''], unset = [], set = {} } of avroCases) {
  test(`the properties of ${name} are supported, or ignored on purpose`, () => {
    const script = scriptOf(name)
    for (const variant of variants) {
      const properties = { ...script.config, ...script.variants[variant], ...set }
      const left = Object.fromEntries(Object.entries(properties).filter(([property]) => !unset.includes(property)))
      assert.deepEqual(refusedOf(script, left), [])
      const expected = ignoredOf.get(labelOf(name, variant)) ?? []
      assert.deepEqual(ignoredBy(script, left).toSorted(), expected.toSorted(), labelOf(name, variant))
      // A property may be removed only as long as it is refused.
      for (const property of unset) assert.deepEqual(refusedOf(script, properties), [property])
    }
  })
}

function connectorOf({ server }: GoldenScript): ReturnType<typeof mysqlConnectorPlugin.createConnector> {
  return (server === 'mysql' ? mysqlConnectorPlugin : mariadbConnectorPlugin).createConnector()
}

/** The properties that a registration would refuse, without contacting a server. */
function refusedOf(script: GoldenScript, properties: Readonly<Record<string, string>>): readonly string[] {
  const connector = connectorOf(script)
  const config = { ...REQUIRED, ...properties, 'topic.prefix': 'p' }
  const stages = stageKeys(new Plugins(transformationPlugins), config)
  const definitions = [connector.config(), new ConfigDef([...connectorKeys(() => null), ...stages])]
  const invalid = definitions.flatMap((definition) =>
    definition.validate(config).filter(({ errors }) => errors.length > 0),
  )
  return [...new Set([...invalid.map(({ name }) => name), ...Object.keys(connector.refusals?.(config) ?? {})])]
}

/** The properties without effect: unknown ones, and those that this version does not support. */
function ignoredBy(script: GoldenScript, properties: Readonly<Record<string, string>>): readonly string[] {
  const keys = [...connectorOf(script).config().keys, ...connectorKeys(() => null)]
  const known = new Set(keys.flatMap(({ name, aliases = [] }) => [name, ...aliases]))
  const converters = (properties['converters'] ?? '').split(',')
  return Object.keys(properties).filter(
    (property) =>
      laterProperties.ignored.some(({ matches }) => matches.test(property)) ||
      (!(known.has(property) || WITHOUT_DEFINITION.test(property)) &&
        !converters.some((name) => property === `${name}.type`)),
  )
}

/** Converters and stages have options of their own, and some names contain a number or a salt. */
const WITHOUT_DEFINITION =
  /^((key|value)\.converter|transforms|predicates|column\.(mask|truncate)|snapshot\.select\.statement\.overrides)\./

const REQUIRED = {
  name: 'golden',
  'connector.class': 'MySql',
  'database.hostname': 'localhost',
  'database.user': 'debezium',
  'database.server.id': '1',
  'schema.history.internal.kafka.topic': 'h',
  'schema.history.internal.kafka.bootstrap.servers': 'localhost:9092',
}
