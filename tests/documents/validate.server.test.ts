/**
 * Documents that people have published, validated as they are: each has the errors and the warnings that the table of
 * expectations lists.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  type DatabaseServer,
  type Service,
  startMariaDb,
  startMySql,
  startService,
  temporaryFolder,
  type TemporaryFolder,
  useKafka,
} from '@tributary/testkit'
import { MemoryRegistry } from '../e2e/avro/memory-registry.ts'
import { filledConfig, publishedDocuments } from './documents.ts'
import { type Expectation, expectations } from './expectations.ts'
import { surroundingsOf, workerEnvironment } from './surroundings.ts'

interface Validation {
  readonly configs: readonly { readonly value: { readonly name: string; readonly errors: readonly string[] } }[]
  readonly warnings: readonly { readonly property: string; readonly message: string }[]
}

const documents = publishedDocuments()

/** The tables of the documents do not exist on the server of this test. */
const ABOUT_TABLES = /^(No (database|table) that|The include and exclude lists match no table)/

test('every document has an expectation', () => {
  assert.equal(documents.length, 60)
  assert.deepEqual(Object.keys(expectations).toSorted(), documents.map(({ id }) => id).toSorted())
})

describe('published documents', () => {
  let service: Service
  let folder: TemporaryFolder
  let registry: MemoryRegistry
  let servers: Parameters<typeof surroundingsOf>[1]
  let databases: readonly DatabaseServer[] = []

  before(async () => {
    // Servers of this file alone: a document without lists captures all databases, and has warnings about their tables.
    const [mysql, mariadb, { bootstrapServers }] = await Promise.all([startMySql(), startMariaDb(), useKafka()])
    databases = [mysql, mariadb]
    folder = temporaryFolder('documents')
    registry = await MemoryRegistry.start()
    servers = { mysql, mariadb, bootstrapServers, registryUrl: registry.url, folder: folder.path }
    service = await startService({ bootstrapServers, env: workerEnvironment(mysql) })
  })

  after(async () => {
    await service[Symbol.asyncDispose]()
    await registry[Symbol.asyncDispose]()
    for (const database of databases) await database[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  for (const document of documents) {
    const expected = expectations[document.id]
    test(`${document.id}: ${expected?.tag}. ${expected?.reason}`, async () => {
      const config = filledConfig(document, surroundingsOf(document, servers))
      const path = `/connector-plugins/${config['connector.class']}/config/validate?warnings=true`
      const { status, json, text } = await service.rest('PUT', path, { name: document.name, ...config })
      assert.equal(status, 200, text)
      const { configs, warnings } = json as Validation
      const refused = configs.filter(({ value }) => value.errors.length > 0).map(({ value }) => value.name)
      const errors = configs.flatMap(({ value }) => value.errors).join('\n')
      assert.deepEqual(refused.toSorted(), refusedOf(expected).toSorted(), errors)
      if (expected?.tag === 'refused' && expected.remedy !== undefined)
        assert.ok(errors.includes(expected.remedy), errors)
      const noted = warnings.filter(({ message }) => !ABOUT_TABLES.test(message)).map(({ property }) => property)
      assert.deepEqual(noted.toSorted(), warnedOf(expected).toSorted(), JSON.stringify(warnings, null, 2))
    })
  }
})

function refusedOf(expected: Expectation | undefined): readonly string[] {
  return expected === undefined || 'warned' in expected ? [] : expected.properties
}

/** A refused document has no warnings. */
function warnedOf(expected: Expectation | undefined): readonly string[] {
  return expected !== undefined && 'warned' in expected ? expected.warned : []
}
