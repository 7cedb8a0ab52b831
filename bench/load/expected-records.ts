/**
 * How many records of each operation a topic must have after a load. `tombstone` counts records without a value,
 * `message` those that name no operation.
 */
export type ExpectedRecords = Readonly<Partial<Record<'c' | 'u' | 'd' | 'r' | 'tombstone' | 'message', number>>>
