/** The page in a real browser, with answers that a worker gives seldom. */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, test } from 'node:test'
import type { EventsMessage, TopicEvent } from '@tributary/rest-api'
import type { Page } from 'playwright-core'
import { axeViolations, TestBrowser, type OpenedPage } from './browser.ts'
import { json, startLiveServer, type Answer } from './live-feed.ts'

let browser: TestBrowser
before(async () => {
  browser = await TestBrowser.start()
})
after(async () => {
  await browser?.[Symbol.asyncDispose]()
})

const EVENT: TopicEvent = {
  partition: 0,
  offset: '5',
  timestamp: 1_790_000_000_000,
  key: '{"id":7}',
  op: 'c',
  source: {},
  fields: [],
  value: null,
  isTombstone: false,
  bytes: 9,
  isDocument: { key: true, value: false },
  note: null,
}

const TOPICS = ['shop', 'shop.shop.t', 'shop.transaction']

function events(response: ServerResponse, messages: readonly EventsMessage[]): true {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' })
  for (const message of messages) response.write(`data: ${JSON.stringify(message)}\n\n`)
  return true
}

const following = (shown: readonly TopicEvent[]): readonly EventsMessage[] => [
  { tag: 'start' },
  { tag: 'events', events: shown, scanned: shown.length },
  { tag: 'caught up', reason: null },
]

const withEvents =
  (answer: (path: string) => readonly EventsMessage[]): Answer =>
  (path, response) =>
    path.endsWith('/topics')
      ? json(response, 200, { shop: { topics: TOPICS } })
      : path.includes('/events') && events(response, answer(path))

test('a record may have any text as its operation, and other texts than JSON stay as they are', async () => {
  const text = '2026-11-25 10:30:00, user:bob [x]'
  const shown = [
    { ...EVENT, op: 'constructor' },
    { ...EVENT, offset: '6', op: null, value: text },
    { ...EVENT, offset: '7', op: null, value: '{"a":1}', isDocument: { key: true, value: true } },
  ]
  await using server = await startLiveServer(withEvents(() => following(shown)))
  await using opened = await browser.open({ url: server.url, hash: '#/connectors/shop/events' })
  const { page } = opened
  await page.getByText('constructor', { exact: true }).waitFor()
  assert.equal(await openedValue(page, text), text)
  assert.equal(await openedValue(page, '{"a":1}'), '{\n  "a": 1\n}')
  assert.deepEqual(opened.errors, [])
})

async function openedValue(page: Page, summary: string): Promise<string | null> {
  const record = page.getByRole('listitem').filter({ hasText: summary })
  await record.locator('summary').first().click()
  return record.getByLabel('Value').textContent()
}

test('a view with an error says so, and the other views keep working', async () => {
  // No worker sends it: fields that are none.
  const broken = { ...EVENT, fields: null } as unknown as TopicEvent
  await using server = await startLiveServer(withEvents(() => following([broken])))
  await using opened = await browser.open({ url: server.url, hash: '#/connectors/shop/events', bypassCSP: true })
  const { page } = opened
  await page.getByRole('heading', { name: 'This view cannot be shown' }).waitFor()
  assert.deepEqual(await axeViolations(page), [])
  await page.getByRole('link', { name: 'Connectors', exact: true }).click()
  await page.getByRole('link', { name: 'shop' }).waitFor()
})

async function openNewConnector(url: string): Promise<OpenedPage> {
  const opened = await browser.open({ url, hash: '#/new', bypassCSP: true })
  const { page } = opened
  await page.getByLabel('Name').fill('new')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByLabel('database.hostname').fill('db')
  await page.getByLabel('database.user').fill('tributary')
  return opened
}

const CLASS = 'io.debezium.connector.mysql.MySqlConnector'
const tableNamed = (table: string): object => ({ database: 'shop', table, rows: 1, bytes: 1 })
const asWorker: Answer = (path, response) => {
  if (path.endsWith('/connector-plugins')) return json(response, 200, [{ class: CLASS, type: 'source', version: '1' }])
  if (path.endsWith('/tables')) {
    return json(response, 200, { is_complete: true, tables: [tableNamed('orders'), tableNamed('people')] })
  }
  if (path.includes('/validate')) return json(response, 200, { configs: [], warnings: [] })
  return path.endsWith('/config') && json(response, 200, [])
}

test('tables that were chosen and given up leave the lists of before, and lists are replaced only on request', async () => {
  await using server = await startLiveServer(asWorker)
  await using opened = await openNewConnector(server.url)
  const { page } = opened
  const list = page.getByLabel('database.include.list')
  await list.fill('crm')
  await page.getByRole('button', { name: 'Choose from the database' }).click()
  await page.getByText(/database\.include\.list = crm/).waitFor()
  assert.equal(await page.getByLabel('Database shop').count(), 0)
  await page.getByRole('button', { name: 'Choose instead' }).click()
  await page.getByLabel('Containing').fill('orders')
  // Not the form of the configuration.
  await page.getByLabel('Containing').press('Enter')
  assert.equal(await page.getByRole('dialog').count(), 0)
  assert.deepEqual(await axeViolations(page), [])
  const orders = page.getByRole('checkbox', { name: /^orders/ })
  await orders.check()
  assert.equal(await list.inputValue(), 'shop')
  assert.equal(await page.getByLabel('table.include.list').inputValue(), 'shop.orders')
  await orders.uncheck()
  assert.equal(await list.inputValue(), 'crm')
  assert.equal(await page.getByLabel('table.include.list').count(), 0)
  assert.deepEqual(opened.errors, [])
})

test('a connector without a list is created only with the word that it captures every database', async () => {
  await using server = await startLiveServer(asWorker)
  await using opened = await openNewConnector(server.url)
  const { page } = opened
  await page.getByRole('button', { name: 'Choose from the database' }).click()
  await page.getByText(/the connector captures every database/).waitFor()
  await page.getByRole('button', { name: /^Review and create/ }).click()
  await page
    .getByRole('dialog')
    .getByText(/captures every database/)
    .waitFor()
  assert.deepEqual(opened.errors, [])
})
