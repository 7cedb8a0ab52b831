import { changeAndFollow } from '../stage/change-rows.ts'
import type { Demo } from '../stage/demo.ts'

export async function showChanges(demo: Demo): Promise<void> {
  const { presenter, sample } = demo
  await changeAndFollow(
    demo,
    "UPDATE customers SET email = 'mei.tanaka@work.example' WHERE id = 1003",
    'an update event contains the row before and after',
  )
  await changeAndFollow(
    demo,
    "INSERT INTO customers (first_name, last_name, email) VALUES ('Asha', 'Menon', 'asha@menon.example')",
    'an insert event has no row before',
  )
  const refused = 'DELETE FROM customers WHERE id = 1004'
  presenter.sql(refused)
  const message = await sample.refusal(refused)
  presenter.line(message ?? 'the database deleted the row')
  presenter.check(
    'the database refuses to delete a customer with addresses (foreign key)',
    message?.startsWith('ERROR 1451') === true ? [] : [message ?? 'the database reported no error'],
  )
  await changeAndFollow(
    demo,
    'DELETE FROM addresses WHERE customer_id = 1004',
    'a delete event has no row after; a tombstone with the same key follows it',
  )
  await changeAndFollow(demo, refused, 'without addresses the customer can be deleted: an event and a tombstone')
}
