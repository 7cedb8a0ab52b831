import { systemClock } from '@tributary/support'
import { isConnectorRunning, registerConnector, registrationCommand } from '../stage/connector.ts'
import type { Demo } from '../stage/demo.ts'
import { demoErrors } from '../stage/errors.ts'

/** The task connects to the database and the brokers first, which takes seconds on a busy machine. */
const START_LIMIT_MS = 60_000
const POLL_INTERVAL_MS = 50

export async function register({ presenter, service, registration, names, signal }: Demo): Promise<void> {
  presenter.command(registrationCommand(service.url, registration))
  presenter.line(await registerConnector(service.url, registration))
  const endMs = performance.now() + START_LIMIT_MS
  while (!(await isConnectorRunning(service.url, names))) {
    if (performance.now() > endMs)
      throw demoErrors.DEMO_NOT_RUNNING({ timeoutMs: START_LIMIT_MS, log: service.logFile })
    await systemClock.sleep(POLL_INTERVAL_MS, signal)
  }
  presenter.line(
    `GET ${service.url}/connectors/${names.connector}/status reports that the connector and its task are RUNNING`,
  )
}
