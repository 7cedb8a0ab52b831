/** How many records of each operation a topic must have after a load. `tombstone` counts records without a value. */
export type ExpectedRecords = Readonly<Partial<Record<'c' | 'u' | 'd' | 'r' | 'tombstone', number>>>
