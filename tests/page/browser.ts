/** Debian's Chromium with the page of a worker in it, and what the page did that it must not do. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { chromiumProgram } from '@tributary/testkit'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'

export type Theme = 'light' | 'dark'

export interface OpenOptions {
  /** The address of the worker. */
  readonly url: string
  /** `#/log` and others. */
  readonly hash?: string
  readonly theme?: Theme
  readonly width?: number
  /** For axe, which the policy of the page would refuse. */
  readonly bypassCSP?: boolean
}

/** A page, with its errors and its requests to other hosts. */
export interface OpenedPage extends AsyncDisposable {
  readonly page: Page
  /** Errors of scripts, violations of the policy, failed assertions of the browser. */
  readonly errors: string[]
  readonly foreignRequests: string[]
}

export class TestBrowser implements AsyncDisposable {
  readonly browser: Browser

  private constructor(browser: Browser) {
    this.browser = browser
  }

  static async start(): Promise<TestBrowser> {
    const executablePath = await chromiumProgram()
    // In containers and as root there is no sandbox for Chromium.
    return new TestBrowser(await chromium.launch({ executablePath, args: ['--no-sandbox'] }))
  }

  async open({ url, hash = '#/', theme = 'light', width = 1280, bypassCSP = false }: OpenOptions): Promise<OpenedPage> {
    const viewport = { width, height: 900 }
    const context: BrowserContext = await this.browser.newContext({ viewport, colorScheme: theme, bypassCSP })
    const page = await context.newPage()
    const errors: string[] = []
    const foreignRequests: string[] = []
    page.on('pageerror', (error) => errors.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) errors.push(message.text())
    })
    page.on('request', (request) => {
      if (new URL(request.url()).host !== new URL(url).host) foreignRequests.push(request.url())
    })
    await page.goto(`${url}/ui/${hash}`)
    return { page, errors, foreignRequests, [Symbol.asyncDispose]: () => context.close() }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.browser.close()
  }
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe reports about the page as it is now: rule and element of each violation. */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axeSource)
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run: () => Promise<AxeResults> } }
    const { violations } = await axe.run()
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} ${target.join(' ')}: ${failureSummary}`),
    )
  })
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string
    readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[]
  }[]
}

/** Whether the page is wider than the window: something does not fit. */
export function overflows(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth + 1')
}
