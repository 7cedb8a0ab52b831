/**
 * Reads the metrics every second, with the Accept header of Prometheus 2.42, until it is disposed of. Disposal throws
 * when no answer had the metrics: the figures would be those of a service that nobody scrapes.
 */
export function scrapeEverySecond(url: string): Disposable {
  const accept =
    'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1'
  let scrapes = 0
  const timer = setInterval(() => {
    fetch(url, { headers: { accept } })
      .then(async (answer) => {
        if ((await answer.text()).includes('tributary_records_acknowledged_total')) scrapes += 1
      })
      // The service has ended, or begins.
      .catch(() => undefined)
  }, INTERVAL_MS)
  return {
    [Symbol.dispose]: () => {
      clearInterval(timer)
      if (scrapes === 0) throw new Error(`${url} has never returned the metrics of a task`)
    },
  }
}

/** Ten times as often as most monitoring systems. */
const INTERVAL_MS = 1_000
