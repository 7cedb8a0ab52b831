/** A connector with transformations and a predicate, on a real server and real brokers. */
import {
  connectorConfig,
  fullTest,
  readTopic,
  startService,
  uniqueName,
  useKafka,
  useMySql,
  waitForRecords,
} from '@tributary/testkit'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

interface ConfigInfo {
  readonly definition: Readonly<Record<string, unknown>> & { readonly name: string }
  readonly value: Readonly<Record<string, unknown>> & { readonly errors: readonly string[] }
}
interface ConfigInfos {
  readonly error_count: number
  readonly groups: readonly string[]
  readonly configs: readonly ConfigInfo[]
}

/** What Kafka Connect 4.3.1 with Debezium 3.6.1 answers about `transforms=unwrap`, without the documentation. */
const recorded = JSON.parse(
  readFileSync(new URL('transformations/connect-validate.json', import.meta.url), 'utf8'),
) as ConfigInfos

const STAGES = {
  transforms: 'unwrap,code,route',
  'transforms.unwrap.type': 'io.debezium.transforms.ExtractNewRecordState',
  'transforms.code.type': 'Cast$Value',
  'transforms.code.spec': 'code:int32',
  'transforms.code.predicate': 'isOrders',
  'transforms.route.type': 'org.apache.kafka.connect.transforms.RegexRouter',
  'transforms.route.regex': '.*\\.([^.]+)\\.orders',
  'transforms.route.replacement': 'all.$1',
  'transforms.route.predicate': 'isOrders',
  predicates: 'isOrders',
  'predicates.isOrders.type': 'org.apache.kafka.connect.transforms.predicates.TopicNameMatches',
  'predicates.isOrders.pattern': '.*\\.orders',
}

fullTest(
  'validation lists the options of each alias in the form of Kafka Connect, and reports wrong ones there',
  async () => {
    const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
    await using service = await startService({ bootstrapServers })
    const name = uniqueName('validated')
    const config = connectorConfig({ database, bootstrapServers, prefix: name, includes: name })
    const path = `/connector-plugins/${config['connector.class']}/config/validate`
    const validate = async (more: Readonly<Record<string, string>>): Promise<ConfigInfos> => {
      const { status, text, json } = await service.rest('PUT', path, { name, ...config, ...more })
      assert.equal(status, 200, text)
      return json as ConfigInfos
    }

    const unwrap = await validate({ transforms: 'unwrap', 'transforms.unwrap.type': STAGES['transforms.unwrap.type'] })
    const shown = unwrap.configs.filter(({ definition }) => definition.name.startsWith('transforms.unwrap.'))
    const compared = ({ definition, value }: ConfigInfo): unknown => {
      const { documentation: _, default_value: version, ...others } = definition
      const { recommended_values: __, value: shownValue, ...state } = value
      const isVersion = definition.name.endsWith('.plugin.version')
      return [others, isVersion ? null : version, state, isVersion ? null : shownValue]
    }
    assert.deepEqual(shown.map(compared), recorded.configs.map(compared))
    assert.deepEqual(unwrap.groups.toSorted(), recorded.groups.toSorted())
    assert.equal(unwrap.error_count, 0)

    const wrong = await validate({
      ...STAGES,
      'transforms.code.spec': 'code:bytes',
      'transforms.route.predicate': 'none',
      'predicates.isOrders.pattern': '(',
    })
    const errors = wrong.configs.flatMap(({ definition, value }) => value.errors.map((text) => [definition.name, text]))
    assert.deepEqual(errors, [
      [
        'transforms.code.spec',
        'Cast transformation does not support casting to BYTES; supported types are [INT8, INT16, INT32, INT64, FLOAT32, FLOAT64, BOOLEAN, STRING]',
      ],
      [
        'transforms.route.predicate',
        'Invalid value none for configuration transforms.route.predicate: The list predicates has no such alias; it has: isOrders',
      ],
      [
        'predicates.isOrders.pattern',
        "Invalid value ( for configuration predicates.isOrders.pattern: Invalid regex: A group without its end ) at character 1 of '('",
      ],
    ])
  },
)

test('records arrive transformed and routed; a transformation that fails fails the task at the record, where it resumes', async () => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  const name = uniqueName('staged')
  await database.query(
    `CREATE DATABASE ${name};
    CREATE TABLE ${name}.orders (id INT PRIMARY KEY, code VARCHAR(10)); INSERT INTO ${name}.orders VALUES (1, '7');
    CREATE TABLE ${name}.others (id INT PRIMARY KEY, code VARCHAR(10)); INSERT INTO ${name}.others VALUES (1, '7')`,
  )
  await using service = await startService({ bootstrapServers })
  const config = connectorConfig({ database, bootstrapServers, prefix: name, includes: name, more: STAGES })
  await service.register(name, config)
  const payloadsOf = async (topic: string, count: number): Promise<readonly unknown[]> => {
    const records = await waitForRecords(bootstrapServers, topic, count)
    return records.map(({ value }) => (JSON.parse(value?.toString() ?? '{}') as { payload: unknown }).payload)
  }
  assert.deepEqual(await payloadsOf(`all.${name}`, 1), [{ id: 1, code: 7 }])
  assert.deepEqual(await payloadsOf(`${name}.${name}.others`, 1), [{ id: 1, code: '7' }])

  await database.query(
    `INSERT INTO ${name}.orders VALUES (2, '-8'); INSERT INTO ${name}.orders VALUES (3, 'abc');
    INSERT INTO ${name}.orders VALUES (4, '9')`,
  )
  const { trace } = await service.waitForTask(name, ['FAILED'])
  const [firstLine = ''] = trace.split('\n')
  assert.match(
    firstLine,
    new RegExp(`${name}\\.${name}\\.orders.*"pos":\\d+.*transformed.*Value \\(abc\\) was out of range`),
  )
  assert.deepEqual(await payloadsOf(`all.${name}`, 2), [
    { id: 1, code: 7 },
    { id: 2, code: -8 },
  ])

  const logged = service.log.length
  const restarted = await service.rest('POST', `/connectors/${name}/restart?includeTasks=true&onlyFailed=true`)
  assert.equal(restarted.status, 202)
  await service.waitForLog(/Value \(abc\) was out of range/, logged)
  const again = await service.waitForTask(name, ['FAILED'])
  assert.equal(again.trace.split('\n')[0], firstLine)

  const changed = await service.rest('PUT', `/connectors/${name}/config`, {
    ...config,
    'transforms.code.spec': 'code:string',
  })
  assert.equal(changed.status, 200, changed.text)
  await service.waitForTask(name, ['RUNNING'])
  assert.deepEqual((await payloadsOf(`all.${name}`, 4)).slice(2), [
    { id: 3, code: 'abc' },
    { id: 4, code: '9' },
  ])
  assert.deepEqual(await readTopic(bootstrapServers, `${name}.${name}.orders`), [])
})
