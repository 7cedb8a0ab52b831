/** Every view in each state, theme and width; failures of what the worker needs; and memory over time. */
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import {
  connectorConfig,
  eventually,
  startKafka,
  startMySql,
  startService,
  waitForRecords,
  type DatabaseServer,
  type KafkaServer,
  type Service,
} from '@tributary/testkit'
import type { Page } from 'playwright-core'
import { measurePage } from './measure-page.ts'
import { axeViolations, overflows, TestBrowser } from './browser.ts'
import { json, startLiveServer, updateMessage, type Answer } from './live-feed.ts'

const HOSTILE = '<img src=x onerror="document.title=1">'
/** A connector's name may have anything that an address can have. */
const HOSTILE_CONNECTOR = '<script>alert(1)<b>&'
let browser: TestBrowser
let kafka: KafkaServer
let database: DatabaseServer
let service: Service

before(async () => {
  ;[browser, kafka, database] = await Promise.all([TestBrowser.start(), startKafka(), startMySql()])
  const { bootstrapServers } = kafka
  service = await startService({ bootstrapServers })
  await database.query(
    `CREATE DATABASE shop; CREATE TABLE shop.t (id BIGINT PRIMARY KEY, name VARCHAR(99));
     INSERT INTO shop.t VALUES (9007199254740993, '${HOSTILE}'), (2, 'two');
     CREATE TABLE shop.\`${HOSTILE}\` (id INT PRIMARY KEY); INSERT INTO shop.\`${HOSTILE}\` VALUES (1)`,
  )
  const names = { shop: 'shop', lost: 'lost', [HOSTILE_CONNECTOR]: 'hostile' }
  for (const [name, prefix] of Object.entries(names)) {
    await service.register(name, connectorConfig({ database, bootstrapServers, prefix, includes: 'shop' }))
    await waitForRecords(bootstrapServers, `${prefix}.shop.t`, 2)
  }
  await database.query(`UPDATE shop.t SET name = 'changed' WHERE id = 2; DELETE FROM shop.t WHERE id = 2`)
  await waitForRecords(bootstrapServers, 'shop.shop.t', 5)
  await loseBinlog('lost')
})
after(async () => {
  await browser?.[Symbol.asyncDispose]()
  await service?.[Symbol.asyncDispose]()
  await database?.[Symbol.asyncDispose]()
  await kafka?.[Symbol.asyncDispose]()
})

/** The server has no such file: the task fails with the error of a purged binlog. */
async function loseBinlog(name: string): Promise<void> {
  await service.rest('PUT', `/connectors/${name}/stop`)
  await service.waitForTask(name, ['NONE'])
  const { json: document } = await service.rest('GET', `/connectors/${name}/offsets`)
  const { offsets } = document as { offsets: { partition: object; offset: Record<string, unknown> }[] }
  const altered = offsets.map(({ partition, offset }) => {
    const { gtids: _gtids, ...others } = offset
    return { partition, offset: { ...others, file: 'binlog.009999' } }
  })
  const answer = await service.rest('PATCH', `/connectors/${name}/offsets`, { offsets: altered })
  assert.equal(answer.status, 200, answer.text)
  await service.rest('PUT', `/connectors/${name}/resume`)
  await service.waitForTask(name, ['FAILED'])
}

const THEMES = ['light', 'dark'] as const
const WIDTHS = [360, 1280, 3840]
/** Where to store pictures, for people: `PAGE_PICTURES=folder npm run test:full -- page.full`. */
const PICTURES = process.env['PAGE_PICTURES'] ?? null

async function examine(
  { url, hash, title }: { readonly url: string; readonly hash: string; readonly title: string },
  ready: (page: Page) => Promise<unknown>,
): Promise<void> {
  for (const theme of THEMES) {
    for (const width of WIDTHS) {
      const place = `${title} ${theme} ${width}`
      await using opened = await browser.open({ url, hash, theme, width, bypassCSP: true })
      await ready(opened.page)
      await takePicture(opened.page, place)
      assert.deepEqual(await axeViolations(opened.page), [], place)
      assert.equal(await overflows(opened.page), false, `${place}: something does not fit`)
      assert.equal(await opened.page.locator('img, script:not([src])').count(), 0, place)
      assert.deepEqual([opened.errors, opened.foreignRequests], [[], []], place)
    }
  }
}

async function takePicture(page: Page, place: string): Promise<void> {
  if (PICTURES === null) return
  mkdirSync(PICTURES, { recursive: true })
  await page.screenshot({ path: join(PICTURES, `${place.replaceAll(/\W+/g, '-')}.png`), fullPage: true })
}

const text =
  (pattern: RegExp) =>
  (page: Page): Promise<void> =>
    page.getByText(pattern).first().waitFor()

/** Views with contents, or with none, and a text that shows that they are complete. */
const views: readonly (readonly [title: string, hash: string, ready: (page: Page) => Promise<unknown>])[] = [
  ['overview', '#/', text(/^Running$/)],
  ['connector', '#/connectors/shop', text(/^Latency$/)],
  ['failed connector', '#/connectors/lost', text(/^Task 0 has failed$/)],
  ['hostile connector', `#/connectors/${encodeURIComponent(HOSTILE_CONNECTOR)}`, text(/^Latency$/)],
  ['unknown connector', '#/connectors/none', text(/^There is no connector none$/)],
  ['events', '#/connectors/shop/events', openEvent],
  ['no events', '#/connectors/shop/events', noEvents],
  ['compare', '#/connectors/shop/compare', compare],
  ['never compared', '#/connectors/lost/compare', text(/^Nothing was compared yet$/)],
  ['configuration', '#/connectors/shop/configuration', text(/^(Valid|1 property has errors)/)],
  ['new connector', '#/new', text(/^Continue$/)],
  ['properties of a new connector', '#/new', openProperties],
  ['log', '#/log', text(/Worker has completed startup/)],
  ['unknown', '#/nothing', text(/^There is no such page$/)],
]

async function openProperties(page: Page): Promise<void> {
  await page.getByLabel('Name').fill('new')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText(/propert(y has|ies have) errors/).waitFor()
}

/** The latest update of the topic of `shop.t`, opened: before and after, with what changed. */
async function openEvent(page: Page): Promise<void> {
  await page.getByLabel('Topic').selectOption('shop.shop.t')
  const update = page.getByRole('listitem').filter({ hasText: 'update' }).first()
  await update.locator('summary').first().click()
  await update.getByText('changed', { exact: true }).first().waitFor()
}

async function noEvents(page: Page): Promise<void> {
  await page.getByLabel('Topic').selectOption('shop.shop.t')
  await page.getByRole('searchbox', { name: 'Filter' }).fill('nothing-has-this')
  await page.getByText('No record matches').waitFor()
}

async function compare(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Compare', exact: true }).waitFor()
  if ((await page.getByText('Completed').count()) > 0) return
  await page.getByRole('button', { name: 'Compare', exact: true }).click()
  await page.getByText('Completed').first().waitFor()
}

for (const [title, hash, ready] of views) {
  test(`${title}: axe finds nothing, and all fits, in both themes from 360 pixels to 4K`, async () => {
    await examine({ url: service.url, hash, title }, ready)
  })
}

const connectorViews = ['', '/events', '/compare', '/configuration']

for (const part of connectorViews) {
  test(`shop${part} while the worker does not answer yet: the page says what it loads`, async () => {
    await using server = await startLiveServer(() => true)
    const page = { url: server.url, hash: `#/connectors/shop${part}`, title: `loading ${part}` }
    await examine(page, text(/^Loading .*…$/))
  })

  test(`shop${part} with a worker that answers with errors: the page says which, and offers to try again`, async () => {
    const fail: Answer = (_, response) => json(response, 500, { error_code: 500, message: `No room for ${HOSTILE}` })
    await using server = await startLiveServer(fail)
    const page = { url: server.url, hash: `#/connectors/shop${part}`, title: `error ${part}` }
    await examine(page, text(/No room for <img/))
  })
}

test('the overview, the log and a new connector before the worker answers', async () => {
  await using server = await startLiveServer(() => true)
  server.isLive = false
  for (const hash of ['#/', '#/log', '#/new']) {
    await examine({ url: server.url, hash, title: `loading ${hash}` }, text(/^Loading .*…$/))
  }
})

test('an overview without a connector', async () => {
  await using server = await startLiveServer()
  await using opened = await browser.open({ url: server.url, bypassCSP: true })
  await opened.page.getByText('shop').first().waitFor()
  await server.send({ ...updateMessage(2), connectors: [] })
  await opened.page.getByText('No connector yet').waitFor()
  assert.deepEqual(await axeViolations(opened.page), [])
})

test('a dialog has no violation, keeps the focus, and Escape closes it', async () => {
  await using opened = await browser.open({ url: service.url, hash: '#/connectors/shop', bypassCSP: true })
  const { page } = opened
  await page.getByRole('button', { name: 'Delete…' }).click()
  assert.equal(await page.getByRole('button', { name: 'Delete', exact: true }).isDisabled(), true)
  assert.deepEqual(await axeViolations(page), [])
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('a comparison finds a row that was inserted into the table without an event', async () => {
  await database.query(`SET sql_log_bin = 0; INSERT INTO shop.t VALUES (77, 'unlogged'); SET sql_log_bin = 1`)
  await using opened = await browser.open({ url: service.url, hash: '#/connectors/shop/compare' })
  const { page } = opened
  await page.getByLabel('Only some').click()
  await page.getByLabel('Tables, as database.table').fill('shop.t')
  await page.getByRole('button', { name: 'Compare', exact: true }).click()
  await page.getByText('Different', { exact: true }).last().waitFor()
  const row = page.getByRole('row').filter({ hasText: 'missing in the topic' })
  assert.match((await row.textContent()) ?? '', /id=77.*unlogged/)
  assert.deepEqual(opened.errors, [])
})

test('records show all digits of their numbers, and names and values are text', async () => {
  await using opened = await browser.open({ url: service.url, hash: '#/connectors/shop/events' })
  const { page } = opened
  await page.getByLabel('Topic').selectOption('shop.shop.t')
  const record = page.getByRole('listitem').filter({ hasText: '9007199254740993' }).first()
  // Values are shown as JSON.
  await record.getByText(JSON.stringify(HOSTILE)).first().waitFor()
  assert.equal(await page.locator('img').count(), 0)
  assert.match(await page.title(), /^Events of shop/)
  assert.deepEqual(opened.errors, [])
})

test('with the brokers down, the page says so, and follows when they are back', async () => {
  await using opened = await browser.open({ url: service.url, hash: '#/connectors/shop/events' })
  const { page } = opened
  await page
    .getByText(/New records are shown as they arrive/)
    .first()
    .waitFor()
  await kafka.brokers[0]?.kill('SIGKILL')
  await page.getByRole('button', { name: 'Read again' }).click()
  await page.getByText(/No broker has answered/).waitFor({ timeout: 60_000 })
  await page.getByRole('link', { name: 'Connectors', exact: true }).click()
  await page.getByRole('row').filter({ hasText: 'shop' }).first().waitFor()
  await kafka.brokers[0]?.start()
  await page.goto(`${service.url}/ui/#/connectors/shop/events`)
  await page
    .getByText(/New records are shown as they arrive/)
    .first()
    .waitFor({ timeout: 60_000 })
  assert.deepEqual(opened.errors, [])
})

test('a page that is open when the worker stops says so, and follows the worker that comes back', async () => {
  await using opened = await browser.open({ url: service.url, hash: '#/' })
  const { page } = opened
  await page.getByText('Running').first().waitFor()
  await service.kill()
  await page
    .getByRole('alert')
    .getByText(/The worker does not answer/)
    .waitFor()
  await service.start()
  await page.getByRole('alert').waitFor({ state: 'detached' })
  await page.getByText('Running').first().waitFor()
})

/** Minutes of the page's life: `PAGE_MINUTES=60` for an hour. Messages arrive fifty times as fast as from a worker. */
const MINUTES = Number(process.env['PAGE_MINUTES'] ?? '10')
const MESSAGES_PER_MINUTE = 30

test('a page that stays open leaves no memory behind', { timeout: 600_000 + MINUTES * 60_000 }, async () => {
  await using server = await startLiveServer((path, response) =>
    path.endsWith('/tables')
      ? json(response, 200, { name: 'shop', snapshot: null, tables: [] })
      : path.endsWith('/offsets') && json(response, 200, { offsets: [] }),
  )
  await using opened = await browser.open({ url: server.url, hash: '#/connectors/shop' })
  const { page } = opened
  await page.getByText('Records per second').waitFor()
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  let count = 1
  const live = async (minutes: number): Promise<void> => {
    for (let i = 0; i < minutes * MESSAGES_PER_MINUTE; i += 1) {
      await server.send(updateMessage((count += 1)))
      // The page draws each message before the next one arrives.
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))')
    }
    const sent = new Intl.NumberFormat('en-US').format(count * 10)
    await eventually('the page shows the last message', () => page.getByText(sent, { exact: true }).isVisible())
  }
  // Fifteen minutes fill what the page keeps.
  await live(16)
  const filled = await measurePage(session)
  await live(MINUTES)
  const later = await measurePage(session)
  console.log(`${MINUTES} minutes: ${JSON.stringify({ filled, later })}`)
  assert.ok(later.heapBytes - filled.heapBytes < 500_000, 'the heap has grown')
  assert.ok(later.nodes - filled.nodes < 200, 'elements were left behind')
  assert.ok(later.listeners - filled.listeners < 50, 'listeners were left behind')
  assert.deepEqual(opened.errors, [])
})
