/** The page in a real browser, on a real worker: what it shows is what the worker, the broker and the database say. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import {
  connectorConfig,
  type Database,
  eventually,
  fullTest,
  type Service,
  startService,
  uniqueName,
  useKafka,
  useMySql,
  waitForRecords,
} from '@tributary/testkit'
import { axeViolations, overflows, TestBrowser } from './browser.ts'

const NAME = uniqueName('page')
const HOSTILE = '<img src=x onerror="document.title=1">'
let browser: TestBrowser
let service: Service
let database: Database
let bootstrapServers: readonly string[]

before(async () => {
  const [mysql, kafka, started] = await Promise.all([useMySql(), useKafka(), TestBrowser.start()])
  database = mysql
  browser = started
  bootstrapServers = kafka.bootstrapServers
  await database.query(
    `CREATE DATABASE ${NAME}; USE ${NAME}; CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1), (2);
     CREATE TABLE \`${HOSTILE}\` (id INT PRIMARY KEY); INSERT INTO \`${HOSTILE}\` VALUES (1);
     CREATE TABLE wide (id BIGINT PRIMARY KEY, name TEXT);
     INSERT INTO wide VALUES (1, 'before'), (9007199254740993, 'before')`,
  )
  service = await startService({ bootstrapServers })
  await service.register(NAME, connectorConfig({ database, bootstrapServers, prefix: NAME, includes: NAME }))
  await waitForRecords(bootstrapServers, `${NAME}.${NAME}.t`, 2)
  await waitForRecords(bootstrapServers, `${NAME}.${NAME}.wide`, 2)
})
after(async () => {
  await browser?.[Symbol.asyncDispose]()
  await service?.[Symbol.asyncDispose]()
})

const connectorHash = `#/connectors/${NAME}`

async function stateOf(): Promise<string> {
  const { json } = await service.rest('GET', `/connectors/${NAME}/status`)
  return (json as { connector: { state: string } }).connector.state
}

test('the overview follows the connector, without a request to another host or an error of the policy', async () => {
  await using opened = await browser.open({ url: service.url })
  const { page } = opened
  const row = page.getByRole('row').filter({ hasText: NAME })
  await row.getByText('Running').waitFor()
  let id = 10
  // The age of a record that was just written. On a busy machine a single one can be older when the page shows it.
  await eventually('the page shows a new record', async () => {
    await database.query(`INSERT INTO ${NAME}.t VALUES (${(id += 1)})`)
    return row.getByText('now', { exact: true }).isVisible()
  })
  await row.getByRole('link', { name: NAME }).click()
  await page.getByRole('heading', { name: NAME }).waitFor()
  // The counter of the task is the number of records in the topics.
  await page.getByRole('row', { name: /^Acknowledged by Kafka \d+/ }).waitFor()
  await page.getByText(`${NAME}.${NAME}.t`, { exact: true }).waitFor()
  assert.deepEqual([opened.errors, opened.foreignRequests], [[], []])
})

fullTest('pause and resume say what they will do, and do it', async () => {
  await using opened = await browser.open({ url: service.url, hash: connectorHash })
  const { page } = opened
  await page.getByRole('button', { name: 'Pause…' }).click()
  await page
    .getByRole('dialog')
    .getByText(/Changes stay in the binlog/)
    .waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  assert.equal(await stateOf(), 'RUNNING')
  await page.getByRole('button', { name: 'Pause…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click()
  await eventually('the connector is paused', async () => (await stateOf()) === 'PAUSED')
  await page.getByRole('button', { name: 'Resume…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click()
  await eventually('the connector runs', async () => (await stateOf()) === 'RUNNING')
  assert.deepEqual(opened.errors, [])
})

test('a configuration is checked by the worker, compared and saved', async () => {
  await using opened = await browser.open({ url: service.url, hash: `${connectorHash}/configuration` })
  const { page } = opened
  const password = page.getByLabel('database.password')
  const checked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/config/validate')) checked.push(request.postData() ?? '')
  })
  await password.fill('wro')
  // Longer than the pause between the last key and a check.
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 1_200)))
  await password.fill('wrong')
  await password.blur()
  // The text of the database server.
  await page
    .getByText(/Access denied for user/)
    .first()
    .waitFor()
  assert.deepEqual(
    checked.filter((config) => config.includes('"wro"')),
    [],
  )
  await page.getByRole('button', { name: /^Undo database\.password/ }).click()
  await page.getByRole('searchbox', { name: 'Find' }).fill('max.batch.size')
  await page.getByLabel('max.batch.size').fill('999')
  await page.getByText(/^Valid/).waitFor()
  await page.getByRole('button', { name: 'Compare and save (1)' }).click()
  const dialog = page.getByRole('dialog')
  assert.match((await dialog.getByRole('listitem').textContent()) ?? '', /max\.batch\.size.*999/)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await eventually('the configuration is stored', async () => {
    const { json } = await service.rest('GET', `/connectors/${NAME}/config`)
    return (json as Record<string, string>)['max.batch.size'] === '999'
  })
  assert.deepEqual(opened.errors, [])
})

fullTest('a hidden tab has no stream, and continues when it is visible again', async () => {
  await using opened = await browser.open({ url: service.url })
  const { page } = opened
  await page.getByRole('row').filter({ hasText: NAME }).getByText('Running').waitFor()
  const become = (isHidden: boolean): Promise<unknown> =>
    page.evaluate(
      `Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
       document.dispatchEvent(new Event('visibilitychange'))`,
    )
  const isStream = (request: { url: () => string }): boolean => request.url().endsWith('/ui/live')
  const ended = page.waitForEvent('requestfailed', isStream)
  await become(true)
  await ended
  const opens = page.waitForRequest(isStream)
  await become(false)
  await opens
  await service.rest('PUT', `/connectors/${NAME}/pause`)
  await page.getByRole('row').filter({ hasText: NAME }).getByText('Paused').waitFor()
  await service.rest('PUT', `/connectors/${NAME}/resume`)
  await page.getByRole('row').filter({ hasText: NAME }).getByText('Running').waitFor()
  assert.deepEqual(opened.errors, [])
})

test('the name of a table is text in the log, never markup', async () => {
  await using opened = await browser.open({ url: service.url, hash: '#/log' })
  const { page } = opened
  await page.getByLabel('Containing').fill('onerror')
  await page.getByRole('log').getByText(HOSTILE).first().waitFor()
  assert.equal(await page.locator('img').count(), 0)
  assert.equal(await page.title(), 'Log · Tributary')
  assert.deepEqual(opened.errors, [])
})

test('a record arrives on the page as it is written, with what has changed', async () => {
  await using opened = await browser.open({ url: service.url, hash: `${connectorHash}/events` })
  const { page } = opened
  await page.getByLabel('Topic').selectOption(`${NAME}.${NAME}.wide`)
  await page
    .getByText(/New records are shown as they arrive/)
    .first()
    .waitFor()
  await page.getByRole('searchbox', { name: 'Filter' }).fill('op=u after.id>9007199254740992')
  await page.getByText('No record matches').waitFor()
  await database.query(`UPDATE ${NAME}.wide SET name = 'after' WHERE id < 9007199254740993`)
  await database.query(`UPDATE ${NAME}.wide SET name = 'after' WHERE id = 9007199254740993`)
  const record = page.getByRole('listitem').first()
  await record.locator('summary').first().click()
  // The digits of the database: a double has none of its odd numbers.
  await record.getByRole('row', { name: 'id 9007199254740993 9007199254740993' }).waitFor()
  await record.getByRole('row', { name: 'name changed "before" "after"' }).waitFor()
  assert.equal(await page.getByRole('listitem').count(), 1)
  // Topics of others are none of the page's business, not even by an address of one's own.
  const foreign = await page.evaluate(
    async (path) => (await fetch(path)).status,
    `${service.url}/ui/events?connector=${NAME}&topic=__consumer_offsets&scan=100`,
  )
  assert.equal(foreign, 404)
  assert.deepEqual(opened.errors, [])
})

test('requests that another site forges change nothing', async () => {
  const site = createServer((_request, response) => response.end('<!doctype html><title>evil</title>'))
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  const context = await browser.browser.newContext()
  try {
    const page = await context.newPage()
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
    const target = `${service.url}/connectors/${NAME}`
    const outcomes = await page.evaluate(forge, target)
    // Chromium itself stops requests that need a permission, and hides the answers of the others.
    assert.deepEqual(outcomes, ['opaque', 'opaque', 'Failed to fetch', 'Failed to fetch', 'Failed to fetch'])
    await page.evaluate(submitForm, `${target}/restart?includeTasks=true`)
    await page.waitForURL(/restart/)
    assert.match((await page.textContent('body')) ?? '', /"error_code":403,.*rest\.allowed\.origins/)
    assert.equal(await stateOf(), 'RUNNING')
    assert.equal((await service.rest('GET', `/connectors/${NAME}`)).status, 200)
  } finally {
    await context.close()
    site.close()
  }
})

/** Runs in the other site's page. */
async function forge(target: string): Promise<readonly string[]> {
  const json = { 'Content-Type': 'application/json' }
  const attempts: readonly RequestInit[] = [
    { method: 'POST', mode: 'no-cors' },
    { method: 'POST', mode: 'no-cors', body: '{}' },
    { method: 'POST', headers: json },
    { method: 'DELETE' },
    { method: 'PUT', headers: json, body: '{}' },
  ]
  return Promise.all(
    attempts.map(async (attempt, i) => {
      try {
        return (await fetch(i === 0 ? `${target}/restart` : target, attempt)).type
      } catch (error) {
        return (error as Error).message
      }
    }),
  )
}

/** Runs in the other site's page. */
function submitForm(action: string): void {
  const { document } = globalThis as unknown as {
    document: {
      body: { append: (form: unknown) => void }
      createElement: (name: string) => { action: string; method: string; submit: () => void }
    }
  }
  const form = document.createElement('form')
  form.action = action
  form.method = 'POST'
  document.body.append(form)
  form.submit()
}

test('axe finds nothing to complain about, in both themes, and a small window is wide enough', async () => {
  for (const [hash, theme, width] of [
    ['#/', 'light', 360],
    [connectorHash, 'dark', 1280],
  ] as const) {
    await using opened = await browser.open({ url: service.url, hash, theme, width, bypassCSP: true })
    await opened.page.getByText('Running').first().waitFor()
    assert.deepEqual(await axeViolations(opened.page), [], hash)
    assert.equal(await overflows(opened.page), false, hash)
  }
})
