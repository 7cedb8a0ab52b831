import type { TablePlan } from '../load/tables.ts'
import { insertsInto } from './inserts.ts'
import type { Workload } from './workload.ts'

/** The outbox of an application, with the columns that the router expects. */
const OUTBOX: TablePlan = {
  definition: `id INT NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL,
    type VARCHAR(255) NOT NULL, payload JSON NOT NULL`,
  values: `i, 'order', CONCAT('customer ', i % 1000), 'OrderCreated',
    JSON_OBJECT('order', i, 'total', i % 977, 'lines', JSON_ARRAY('first', 'second'), 'note', CONCAT('note ', i))`,
}
const TABLE = 'outbox'
/** A transaction of the application: ten orders. */
const ROWS_PER_TRANSACTION = 10

const inserts = insertsInto(TABLE, OUTBOX, ROWS_PER_TRANSACTION)

/** Inserts into an outbox table, which the connector sends as messages to a topic per type of aggregate. */
export const outbox: Workload = {
  ...inserts,
  connector: (_load, prefix) => ({
    transforms: 'outbox',
    'transforms.outbox.type': 'io.debezium.transforms.outbox.EventRouter',
    'transforms.outbox.route.topic.replacement': `${prefix}.events.\${routedByValue}`,
    'transforms.outbox.table.fields.additional.placement': 'type:header:eventType',
  }),
  expected: (prefix, { amount }) => new Map([[`${prefix}.events.order`, { message: amount }]]),
}
