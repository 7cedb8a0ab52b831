/** The page of a real worker with logins: it offers each user what the worker permits. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import {
  connectorConfig,
  type Service,
  startService,
  temporaryFolder,
  uniqueName,
  useKafka,
  useMySql,
  waitForRecords,
} from '@tributary/testkit'
import type { Page } from 'playwright-core'
import { TestBrowser } from './browser.ts'

const NAME = uniqueName('access')
const folder = temporaryFolder('access')
let browser: TestBrowser
let service: Service

before(async () => {
  const [database, { bootstrapServers }, started] = await Promise.all([useMySql(), useKafka(), TestBrowser.start()])
  browser = started
  await database.query(`CREATE DATABASE ${NAME}; CREATE TABLE ${NAME}.t (id INT PRIMARY KEY)`)
  await database.query(`INSERT INTO ${NAME}.t VALUES (7)`)
  const users = join(folder.path, 'users.properties')
  writeFileSync(users, 'admin=do-it\nviewer=look\n')
  service = await startService({
    bootstrapServers,
    login: 'admin:do-it',
    env: { CONNECT_REST_AUTH_BASIC_FILE: users, CONNECT_REST_AUTH_READ_ONLY_USERS: 'viewer' },
  })
  await service.register(NAME, connectorConfig({ database, bootstrapServers, prefix: NAME, includes: NAME }))
  await waitForRecords(bootstrapServers, `${NAME}.${NAME}.t`, 1)
})
after(async () => {
  await browser?.[Symbol.asyncDispose]()
  await service?.[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

async function signIn(page: Page, user: string, password: string): Promise<void> {
  await page.getByLabel('User').fill(user)
  await page.locator('input[name=secret]').fill(password)
  await page.locator('form').getByRole('button').click()
}

const tabs = (page: Page): Promise<readonly string[]> =>
  page.getByRole('navigation', { name: 'Connector' }).getByRole('link').allTextContents()

test('a user who may only read is offered neither records nor changes', async () => {
  await using opened = await browser.open({ url: service.url, hash: `#/connectors/${NAME}` })
  const { page } = opened
  const streams: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/ui/events')) streams.push(request.url())
  })
  await signIn(page, 'viewer', 'look')
  await page.getByText('Read only').waitFor()
  await page.getByText(/^Latency$/).waitFor()
  assert.deepEqual(await tabs(page), ['Status', 'Compare', 'Configuration'])
  assert.equal(await page.getByRole('button', { name: /…$/ }).count(), 0)

  await page.getByRole('link', { name: 'Configuration' }).click()
  await page.getByText('You may only read. Passwords are hidden.').waitFor()
  assert.equal(await page.getByRole('button', { name: /save/i }).count(), 0)
  await page.getByRole('link', { name: 'Compare' }).click()
  await page.getByText('Nothing was compared yet').waitFor()
  assert.equal(await page.getByRole('button', { name: /compare/i }).count(), 0)
  await page.getByRole('link', { name: 'Connectors' }).click()
  await page.getByRole('row').filter({ hasText: NAME }).waitFor()
  assert.equal(await page.getByRole('link', { name: /new connector/i }).count(), 0)

  // An address that somebody else has sent.
  await page.evaluate(`location.hash = '#/connectors/${NAME}/events'`)
  await page.getByText('You may not read the records of topics').waitFor()
  assert.deepEqual([streams, opened.errors], [[], []])
})

test('a user who may change connectors has the records, after another one has signed out in the same tab', async () => {
  await using opened = await browser.open({ url: service.url, hash: `#/connectors/${NAME}/events` })
  const { page } = opened
  await signIn(page, 'viewer', 'look')
  await page.getByText('You may not read the records of topics').waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await signIn(page, 'admin', 'do-it')
  await page.getByRole('listitem').first().waitFor()
  assert.deepEqual(await tabs(page), ['Status', 'Events', 'Compare', 'Configuration'])
  assert.deepEqual(opened.errors, [])
})
