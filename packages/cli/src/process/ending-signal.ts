import { systemClock } from '@tributary/support'

/**
 * A signal that fires when the process is asked to end (SIGINT, SIGTERM). Asking again changes nothing: a terminal and npm both
 * pass Ctrl-C on, so it often comes twice, and the second must not cut short what the first has begun.
 */
export function endingSignal(onSignal: (name: string) => void = () => undefined): AbortSignal {
  const ending = new AbortController()
  const end = (name: string): void => {
    if (ending.signal.aborted) return
    onSignal(name)
    ending.abort()
  }
  process.on('SIGINT', end)
  process.on('SIGTERM', end)
  if (process.env['npm_command'] === 'exec') whenOrphaned(() => end('SIGTERM from npx'))
  return ending.signal
}

/** Sooner than a service manager loses patience (systemd 90 s, Docker 10 s, Kubernetes 30 s). */
const LOOK_FOR_PARENT_MS = 500

/**
 * npx hands SIGTERM to the shell that it starts programs with; the shell dies of it and tells nobody (npm 11, dash). A program
 * of npx that is handed to another parent was therefore asked to end. Elsewhere losing the parent means nothing (nohup).
 */
function whenOrphaned(act: () => void): void {
  const parent = process.ppid
  const look = (): void => {
    if (process.ppid === parent) systemClock.after(LOOK_FOR_PARENT_MS, look)
    else act()
  }
  look()
}
