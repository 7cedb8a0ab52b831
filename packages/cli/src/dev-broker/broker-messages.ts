/** What the thread of the development broker is started with. */
export interface BrokerThreadData {
  /** 0: a free port. */
  readonly port: number
  /** The folder of its topics. */
  readonly folder: string
}

/** What the thread reports. */
export type BrokerReport =
  | { readonly tag: 'ready'; readonly bootstrapServers: string }
  | { readonly tag: 'refused'; readonly code: string; readonly message: string; readonly action: string }
  | { readonly tag: 'line'; readonly line: string }

/** Asks the thread to close the broker. */
export const CLOSE = 'close'
