import type { NotificationType } from '@tributary/connector-kit'

/** Reports what happens to a snapshot; `data` has the names of Debezium's `additional_data`. */
export type NotifySnapshot = (type: NotificationType, data?: Readonly<Record<string, string>>) => void
