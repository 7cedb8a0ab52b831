import { changeAndFollow } from '../stage/change-rows.ts'
import type { Demo } from '../stage/demo.ts'

export async function showChanges(demo: Demo): Promise<void> {
  const { presenter, sample } = demo
  await changeAndFollow(
    demo,
    "UPDATE customers SET email = 'mei.tanaka@work.example' WHERE id = 1003",
    'an update: the row before and after',
  )
  await changeAndFollow(
    demo,
    "INSERT INTO customers (first_name, last_name, email) VALUES ('Asha', 'Menon', 'asha@menon.example')",
    'an insert: before is null',
  )
  const refused = 'DELETE FROM customers WHERE id = 1004'
  presenter.sql(refused)
  const words = await sample.refusal(refused)
  presenter.line(words ?? 'the database deleted the row')
  presenter.check(
    'the database refuses to delete a customer whose addresses refer to it (foreign key); they go first',
    words?.startsWith('ERROR 1451') === true ? [] : [words ?? 'no error came'],
  )
  await changeAndFollow(
    demo,
    'DELETE FROM addresses WHERE customer_id = 1004',
    'a delete: after is null, and each delete event is followed by a tombstone with its key',
  )
  await changeAndFollow(demo, refused, 'now the customer can be deleted: event and tombstone')
}
