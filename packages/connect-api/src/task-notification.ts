/** What happened to a snapshot of a task, in the terms of Debezium's notifications. Plain data. */
export interface TaskNotification {
  /** `Initial Snapshot` or `Incremental Snapshot` */
  readonly aggregateType: string
  /** `STARTED`, `TABLE_SCAN_COMPLETED` and others. */
  readonly type: string
  readonly data: Readonly<Record<string, string>>
  readonly timestampMs: number
}
