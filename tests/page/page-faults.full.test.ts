/** The page in a real browser, with answers that a worker gives seldom. */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, test } from 'node:test'
import type { EventsMessage, TopicEvent } from '@tributary/rest-api'
import type { Page } from 'playwright-core'
import { axeViolations, TestBrowser, type OpenedPage } from './browser.ts'
import { json, startLiveServer, updateMessage, type Answer } from './live-feed.ts'

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

test('the page begins with the topic of a table, and says what it does not show', async () => {
  const many = Array.from({ length: 501 }, (_, i) => ({ ...EVENT, offset: String(i) }))
  const asked: string[] = []
  const answer = withEvents((path) => {
    asked.push(new URL(path, 'http://x').searchParams.get('topic') ?? '')
    return following(many)
  })
  await using server = await startLiveServer(answer)
  await using opened = await browser.open({ url: server.url, hash: '#/connectors/shop/events', bypassCSP: true })
  const { page } = opened
  await page.getByText(/500 shown, 501 read\. The page keeps the latest 500: 1 older ones/).waitFor()
  assert.deepEqual(asked, ['shop.shop.t'])
  assert.equal(await page.getByRole('listitem').count(), 500)
  // What is read aloud has no number that changes with each message.
  assert.deepEqual(await page.getByRole('status').allTextContents(), ['New records are shown as they arrive.'])
  const help = await page.getByRole('searchbox', { name: 'Filter' }).getAttribute('aria-describedby')
  assert.match((await page.locator(`#${help}`).textContent()) ?? '', /^Terms separated by spaces/)
  await page.getByRole('listitem').first().locator('summary').first().click()
  await page.getByText(/Not shown: .*ts_ms.*headers/).waitFor()
  assert.deepEqual(await axeViolations(page), [])
  assert.deepEqual(opened.errors, [])
})

test('the page says of how many records it shows the latest, and which limit was reached', async () => {
  const messages: readonly EventsMessage[] = [
    { tag: 'events', events: [EVENT], scanned: 10_000, matched: 5_000 },
    { tag: 'caught up', reason: 'The limit of 20 s was reached' },
  ]
  await using server = await startLiveServer(withEvents(() => messages))
  await using opened = await browser.open({ url: server.url, hash: '#/connectors/shop/events' })
  await opened.page
    .getByText(/The latest 1 of 5,000 are shown, 10,000 read\. The limit of 20 s was reached\.$/)
    .waitFor()
})

const SNAPSHOT = {
  kind: 'initial',
  is_paused: false,
  tables: 2,
  tables_remaining: 1,
  rows: 30,
  seconds: 3,
  percent: null,
  rows_per_second: 10,
  seconds_left: null,
  is_waiting: false,
}
const NO_EVENTS = { read: 0, create: 0, update: 0, delete: 0, truncate: 0 }

test('numbers of before an error or a silence say since when, and bars of an aborted snapshot stand still', async () => {
  let isAborted = false
  let isSilent = false
  let hasFailed = false
  const answer: Answer = (path, response) => {
    if (!path.endsWith('/tables')) return path.endsWith('/offsets') && json(response, 200, { offsets: [] })
    if (isSilent) return true
    if (hasFailed) return json(response, 500, { error_code: 500, message: 'No room' })
    const tables = [
      { table: 'shop.a', ...NO_EVENTS, snapshot: { rows: 20, estimated_rows: null, is_done: false } },
      { table: 'shop.b', ...NO_EVENTS, snapshot: { rows: 0, estimated_rows: null, is_done: false } },
      { table: 'shop.later', ...NO_EVENTS, snapshot: null },
    ]
    return json(response, 200, {
      name: 'shop',
      snapshot: { state: isAborted ? 'aborted' : 'running', ...SNAPSHOT },
      tables,
    })
  }
  await using server = await startLiveServer(answer)
  await using opened = await browser.open({ url: server.url, hash: '#/connectors/shop' })
  const { page } = opened
  await page.getByText('A snapshot runs').waitFor()
  assert.equal(await page.locator('progress:indeterminate').count(), 1)
  assert.equal(await page.getByText('waits').count(), 2)
  isAborted = true
  await page.getByText('Snapshot aborted').waitFor()
  assert.equal(await page.locator('progress:indeterminate').count(), 0)
  assert.equal(await page.getByText('waits').count(), 0)
  hasFailed = true
  await page.getByText(/^Not updated since .*: No room$/).waitFor()
  await page.getByText('Snapshot aborted').waitFor()
  hasFailed = false
  await page.getByText(/^Not updated since/).waitFor({ state: 'detached' })
  // Half a minute of silence ends a request, and the next one is answered.
  await page.clock.install()
  isSilent = true
  await page.reload()
  await page.getByText('Loading the tables…').waitFor()
  await page.clock.fastForward(31_000)
  await page.getByText('The worker has not answered in time.').first().waitFor()
  isSilent = false
  await page.clock.fastForward(3_000)
  await page.getByText('Snapshot aborted').waitFor()
})

test('a snapshot shows how far it is, what it waits for, and what has happened to it', async () => {
  const snapshot = { ...SNAPSHOT, kind: 'incremental', percent: 41.1, seconds_left: 17.3, is_waiting: true }
  const answer: Answer = (path, response) => {
    if (path.endsWith('/snapshot')) {
      return json(response, 200, {
        name: 'shop',
        problems: [],
        snapshot: { waits_for: '34 running threads, limit 20' },
      })
    }
    if (path.endsWith('/tables')) {
      const rows = { rows: 30, estimated_rows: 73, is_done: false }
      const tables = [{ table: 'shop.a', ...NO_EVENTS, snapshot: rows }]
      return json(response, 200, { name: 'shop', snapshot: { state: 'running', ...snapshot }, tables })
    }
    return path.endsWith('/offsets') && json(response, 200, { offsets: [] })
  }
  await using server = await startLiveServer(answer)
  await using opened = await browser.open({ url: server.url, hash: '#/connectors/shop' })
  const { page } = opened
  await page.getByText('An incremental snapshot runs').waitFor()
  await page.getByText('It waits: 34 running threads, limit 20').waitFor()
  await page.getByText('About 41.1 %, 1 of 2 tables, 30 rows in 3 s, 10 rows/s, about 17.3 s left').waitFor()
  const bar = page.getByRole('progressbar', { name: 'Rows of the incremental snapshot that are read' })
  assert.match((await bar.getAttribute('value')) ?? '', /^0\.411/)
  const note = { connector: 'shop', ms: 1_790_000_000_000, subject: 'Incremental Snapshot' }
  const data = { scanned_collection: 'shop.a', total_rows_scanned: '1000', status: 'SUCCEEDED' }
  await server.send({
    ...updateMessage(2),
    notifications: [
      { ...note, type: 'STARTED', data: { data_collections: 'shop.a,shop.b' } },
      { ...note, type: 'TABLE_SCAN_COMPLETED', data },
    ],
  })
  await page.getByText('Incremental snapshot started (shop.a,shop.b)').waitFor()
  await page.getByText('Incremental snapshot: shop.a complete, 1000 rows').waitFor()
  assert.deepEqual(await axeViolations(page), [])
  assert.deepEqual(opened.errors, [])
})

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
