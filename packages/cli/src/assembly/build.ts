/** The values that differ between a checkout and the packed program: scripts/pack replaces this module. */

/** Identifies the build in `GET /`: the commit from which the package was built. */
export const BUILD_COMMIT: string = 'unknown'

/** Entry file of the watchdog's thread. */
export const WATCHDOG_THREAD: URL = new URL('../process/watchdog-thread.ts', import.meta.url)

/** Entry file of the threads of a worker. */
export const THREAD: URL = new URL('./thread.ts', import.meta.url)
