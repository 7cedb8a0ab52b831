export type Flavor = 'mysql' | 'mariadb'

export interface Command {
  readonly program: string
  readonly args: readonly string[]
}

/** The command lines of an installed database product. All other code is the same for both products. */
export interface DatabasePrograms {
  readonly flavor: Flavor
  /** For messages: `MySQL`. */
  readonly productName: string
  /** Key of the installation in the cache; differs for each version. */
  readonly cacheKey: string
  /** Initialises an empty data folder; root has no password. */
  initialise(dataFolder: string): Command
  /** The server, with the settings that every test server of this product has. */
  server(args: readonly string[]): Command
  /** The interactive client. */
  client(args: readonly string[]): Command
  /** The program that prints binlogs. */
  binlogPrinter(args: readonly string[]): Command
}
