/** The value of a column that is not in the image (binlog_row_image other than FULL). */
export const ABSENT: unique symbol = Symbol('absent')

/**
 * The value of a JSON document after a change of which the event has only the difference to a document that it lacks
 * (binlog_row_value_options=PARTIAL_JSON with another binlog_row_image than FULL).
 */
export const CHANGED: unique symbol = Symbol('changed')

/** ABSENT for a column that is not in the event's image; `null` for SQL NULL. */
export type RowValue<T> = T | null | typeof ABSENT | typeof CHANGED
