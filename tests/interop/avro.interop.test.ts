/** The schemas that Kafka Connect registers with Apicurio's Avro converter, and those of this program, for the tables of golden scripts. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Kafka, LogRecord } from '@tributary/kafka'
import {
  avroConverterPluginPath,
  type Database,
  kafkaClient,
  type RegistryServer,
  type Service,
  startConnect,
  startRegistry,
  startService,
  useKafka,
  useMySql,
} from '@tributary/testkit'
import { readAvro } from '../conformance/avro/avro-reader.ts'
import { loadScript } from '../conformance/conformance.ts'
import { runScript } from '../conformance/script-run.ts'

const resources = new AsyncDisposableStack()
let [bootstrapServers, kafka]: [readonly string[], Kafka | null] = [[], null]
let registry: RegistryServer
let database: Database
let workers: readonly Service[] = []

before(async () => {
  ;({ bootstrapServers } = await useKafka())
  kafka = kafkaClient(bootstrapServers)
  database = await useMySql()
  registry = resources.use(await startRegistry())
  const pluginPaths = [await avroConverterPluginPath()]
  workers = [
    resources.use(await startConnect({ bootstrapServers, pluginPaths })),
    resources.use(await startService({ bootstrapServers })),
  ]
})
after(() => resources.disposeAsync())

for (const name of ['00_smoke', '02_decimals', '04_temporal', '05_temporal_defaults', '12_ddl_alter']) {
  test(`${name}: the schemas are those that Kafka Connect registers`, async (context) => {
    const [theirs, ours] = [await schemasOf(name, workers[0]), await schemasOf(name, workers[1])]
    context.diagnostic(`${ours.size} subjects, ${[...ours.values()].flat().length} versions`)
    assert.ok(ours.size > 2)
    assert.deepEqual(Object.fromEntries(ours), Object.fromEntries(theirs))
  })
}

/** Runs the script on a worker; gives the versions of each subject, with `PFX` for the connector's prefix. */
async function schemasOf(name: string, service: Service | undefined): Promise<ReadonlyMap<string, readonly string[]>> {
  assert.ok(service !== undefined && kafka !== null)
  const script = loadScript(name)
  const topics = new Set<string>()
  const { recordings } = await runScript({
    script,
    variants: [''],
    database,
    skipsStatement: () => false,
    unset: [],
    selectsRows: false,
    more: { 'source.struct.version': 'v2', ...apicurio('key'), ...apicurio('value') },
    decode: (records: readonly LogRecord[]) => {
      for (const { topic } of records) topics.add(topic)
      return readAvro(registry, records)
    },
    service,
    kafka,
    bootstrapServers,
  })
  assert.equal(recordings.get('')?.state, 'RUNNING')
  const schemas = new Map<string, readonly string[]>()
  for (const topic of [...topics].toSorted()) {
    for (const subject of [`${topic}-key`, `${topic}-value`]) {
      const versions = await versionsOf(subject)
      if (versions.length > 0) schemas.set(masked(subject), versions.map(masked))
    }
  }
  return schemas
}

function apicurio(role: string): Record<string, string> {
  return {
    [`${role}.converter`]: 'io.apicurio.registry.utils.converter.AvroConverter',
    [`${role}.converter.apicurio.registry.url`]: `${registry.url}/apis/registry/v3`,
    [`${role}.converter.apicurio.registry.auto-register`]: 'true',
  }
}

async function versionsOf(subject: string): Promise<readonly string[]> {
  const path = `/subjects/${encodeURIComponent(subject)}/versions`
  const { status, json } = await registry.request('GET', path)
  if (status !== 200) return []
  const texts: string[] = []
  for (const version of json as readonly number[]) {
    const answer = await registry.request('GET', `${path}/${version}`)
    texts.push((answer.json as { readonly schema: string }).schema)
  }
  return texts
}

function masked(text: string): string {
  return text.replaceAll(/pfx_[0-9a-f]{8}/g, 'PFX')
}
