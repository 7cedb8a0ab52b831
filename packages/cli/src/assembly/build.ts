/** The values that differ between a checkout and the packed program: scripts/pack replaces this module. */

import type { PageFiles } from '@tributary/runtime'

/** How a user calls the program. */
export const COMMAND: string = 'npm run --silent tributary --'

/** Identifies the build in `GET /`: the commit from which the package was built. */
export const BUILD_COMMIT: string = 'unknown'

/** Entry file of the watchdog's thread. */
export const WATCHDOG_THREAD: URL = new URL('../process/watchdog-thread.ts', import.meta.url)

/** Entry file of the thread of the development broker. */
export const BROKER_THREAD: URL = new URL('../dev-broker/broker-thread.ts', import.meta.url)

/** Entry file of the threads of a worker. */
export const THREAD: URL = new URL('./thread.ts', import.meta.url)

/** The files of the page. A checkout builds them. */
export async function loadPage(): Promise<PageFiles> {
  const { buildPage } = await import('../../../ui/scripts/build-page.ts')
  return buildPage()
}
