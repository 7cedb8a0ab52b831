export type Flavor = 'mysql' | 'mariadb'

export interface Command {
  readonly program: string
  readonly args: readonly string[]
}

/** How the programs of one installed database product are called. Everything after this is the same for both products. */
export interface DatabasePrograms {
  readonly flavor: Flavor
  /** For messages: `MySQL`. */
  readonly productName: string
  /** Names the installation in the cache: another version, another key. */
  readonly cacheKey: string
  /** Fills an empty data folder, root without password. */
  initialise(dataFolder: string): Command
  /** The server, with the settings of this product that every server of the tests has. */
  server(args: readonly string[]): Command
  /** The interactive client. */
  client(args: readonly string[]): Command
  /** The program that prints binlogs. */
  binlogPrinter(args: readonly string[]): Command
}
