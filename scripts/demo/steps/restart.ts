import { changeRows, followEvents } from '../stage/change-rows.ts'
import type { Demo } from '../stage/demo.ts'
import type { ExpectedEvent } from '../stage/expectation.ts'

const WHILE_DOWN = [
  "INSERT INTO orders (ordered_on, customer_id, product_id, quantity) VALUES ('2026-05-20', 1005, 103, 4)",
  "UPDATE products SET weight_grams = 1200, description = 'Enamelled kettle, two and a half litres' WHERE id = 101",
  "UPDATE customers SET last_name = 'Rivera Luna' WHERE id = 1002",
  'DELETE FROM orders WHERE order_number = 10003',
]

export async function restart(demo: Demo): Promise<void> {
  const { presenter, service, signal } = demo
  presenter.line('Stopping Tributary …')
  const isOrderly = await service.stop()
  const problems = isOrderly ? [] : [`${service.logFile} does not end with an orderly stop`]
  presenter.check('Tributary commits its offsets and stops on SIGTERM', problems)
  presenter.line('Changing rows while it is stopped:')
  const expected: ExpectedEvent[] = []
  for (const statement of WHILE_DOWN) expected.push(...(await changeRows(demo, statement)))
  presenter.line('Starting it again …')
  await service.start(signal)
  const differences = await followEvents(demo, expected)
  presenter.check(`exactly these ${expected.length} records follow: none is missing, none is repeated`, differences)
}
