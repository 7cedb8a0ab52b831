/** A binlog file. A server reuses names: after RESET BINARY LOGS AND GTIDS, another file has the same one. */
export interface BinlogFile {
  readonly name: string
  /** Seconds since 1970, by the server's clock: the time of the file's format description. Null when unknown. */
  readonly createdSeconds: number | null
}
