import { systemClock } from '@tributary/support'

/**
 * An AbortSignal that fires at the first of the given signals to the process, by default SIGINT and SIGTERM. Later ones
 * have no effect: Ctrl-C often arrives twice, from the terminal and from npm, and the second one must not interrupt an
 * orderly stop.
 */
export function endingSignal(
  onSignal: (name: string) => void = () => undefined,
  signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM'],
): AbortSignal {
  const ending = new AbortController()
  const end = (name: string): void => {
    if (ending.signal.aborted) return
    onSignal(name)
    ending.abort()
  }
  for (const name of signals) process.on(name, end)
  if (process.env['npm_command'] === 'exec') whenOrphaned(() => end('SIGTERM from npx'))
  return ending.signal
}

/** Far below the time after which a service manager kills a process (Docker 10 s, Kubernetes 30 s, systemd 90 s). */
const PARENT_POLL_MS = 500

/**
 * Detects SIGTERM to npx, which never reaches the program: npx sends it to the shell between them, and the shell ends
 * without forwarding it (npm 11, dash). The program then has another parent. Used only under npx, because elsewhere
 * losing the parent is no request to stop (nohup).
 */
function whenOrphaned(act: () => void): void {
  const parent = process.ppid
  const look = (): void => {
    if (process.ppid === parent) systemClock.after(PARENT_POLL_MS, look)
    else act()
  }
  look()
}
