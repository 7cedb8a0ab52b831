/** Names of Connect's logical types other than Decimal. Their values are numbers in the unit named. */

/** int32: days since 1970. */
export const DATE_SCHEMA_NAME = 'org.apache.kafka.connect.data.Date'
/** int32: milliseconds since midnight. */
export const TIME_SCHEMA_NAME = 'org.apache.kafka.connect.data.Time'
/** int64: milliseconds since 1970. */
export const TIMESTAMP_SCHEMA_NAME = 'org.apache.kafka.connect.data.Timestamp'
