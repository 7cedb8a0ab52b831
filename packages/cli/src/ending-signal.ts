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
  return ending.signal
}
