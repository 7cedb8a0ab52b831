import assert from 'node:assert/strict'
import { test } from 'node:test'
import { propertiesOfEnvironment, variableOf } from './environment.ts'

/** docker-entrypoint.sh of the image debezium/connect 3.6: each variable and the property that it sets. */
const VARIABLES: readonly (readonly [variable: string, property: string])[] = [
  ['BOOTSTRAP_SERVERS', 'bootstrap.servers'],
  ['GROUP_ID', 'group.id'],
  ['CONFIG_STORAGE_TOPIC', 'config.storage.topic'],
  ['OFFSET_STORAGE_TOPIC', 'offset.storage.topic'],
  ['STATUS_STORAGE_TOPIC', 'status.storage.topic'],
  ['REST_HOST_NAME', 'rest.host.name'],
  ['REST_PORT', 'rest.port'],
  ['ADVERTISED_HOST_NAME', 'rest.advertised.host.name'],
  ['ADVERTISED_PORT', 'rest.advertised.port'],
  ['KEY_CONVERTER', 'key.converter'],
  ['VALUE_CONVERTER', 'value.converter'],
  ['OFFSET_FLUSH_INTERVAL_MS', 'offset.flush.interval.ms'],
  ['OFFSET_FLUSH_TIMEOUT_MS', 'offset.flush.timeout.ms'],
  ['SHUTDOWN_TIMEOUT', 'task.shutdown.graceful.timeout.ms'],
]

test('each variable of the image sets its property, and messages name that variable', () => {
  for (const [variable, property] of VARIABLES) {
    assert.deepEqual(propertiesOfEnvironment({ [variable]: 'x' }), { [property]: 'x' })
    assert.equal(variableOf(property), variable)
  }
})

test('CONNECT_ variables set the property of their name, except those for logging', () => {
  const environment = {
    CONNECT_PRODUCER_LINGER_MS: '5',
    CONNECT_OFFSET_STORAGE_REPLICATION_FACTOR: '1',
    CONNECT_LOG4J_LOGGERS: 'x',
    CONNECT_LOG4J_ROOT_LOGLEVEL: 'x',
    CONNECT_: 'x',
    CONNECT_Mixed: 'x',
    KAFKA_CONNECT_GROUP_ID: 'x',
    PATH: '/bin',
  }
  assert.deepEqual(propertiesOfEnvironment(environment), {
    'producer.linger.ms': '5',
    'offset.storage.replication.factor': '1',
  })
  assert.equal(variableOf('producer.linger.ms'), 'CONNECT_PRODUCER_LINGER_MS')
})

test('a variable of the image overrides a CONNECT_ variable; an empty variable counts as not set', () => {
  assert.deepEqual(propertiesOfEnvironment({ CONNECT_GROUP_ID: 'a', GROUP_ID: 'b' }), { 'group.id': 'b' })
  assert.deepEqual(propertiesOfEnvironment({ CONNECT_GROUP_ID: 'a', GROUP_ID: '' }), { 'group.id': 'a' })
  assert.deepEqual(propertiesOfEnvironment({ GROUP_ID: '', CONNECT_X: '', Y: undefined }), {})
})

test('HOST_NAME sets the name of the worker if ADVERTISED_HOST_NAME does not', () => {
  const named = (environment: Record<string, string>): unknown =>
    propertiesOfEnvironment(environment)['rest.advertised.host.name']
  assert.equal(named({ HOST_NAME: 'a' }), 'a')
  assert.equal(named({ HOST_NAME: 'a', ADVERTISED_HOST_NAME: 'b' }), 'b')
})

test('if no brokers are set, those of linked containers are used, in the order of their variables', () => {
  const links = {
    KAFKA2_PORT_9092_TCP: 'tcp://10.0.0.8:9092',
    KAFKA1_PORT_9092_TCP: 'tcp://10.0.0.7:9092',
    KAFKA1_PORT_9092_TCP_ADDR: '10.0.0.7',
  }
  const servers = (environment: Record<string, string>): unknown =>
    propertiesOfEnvironment(environment)['bootstrap.servers']
  assert.equal(servers(links), '10.0.0.7:9092,10.0.0.8:9092')
  assert.equal(servers({ ...links, BOOTSTRAP_SERVERS: 'b:1' }), 'b:1')
  assert.equal(servers({ ...links, CONNECT_BOOTSTRAP_SERVERS: 'c:1' }), 'c:1')
})
