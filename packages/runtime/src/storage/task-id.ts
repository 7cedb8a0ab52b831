/** The name of a task in statuses and keys: `inventory-connector-0`. */
export function taskId(connector: string, task: number): string {
  return `${connector}-${task}`
}

/** The parts of such a name, or null for other text. Names of connectors may contain dashes and digits. */
export function splitTaskId(id: string): { readonly connector: string; readonly task: number } | null {
  const [, connector, task] = /^(.+)-(\d{1,9})$/s.exec(id) ?? []
  return connector === undefined ? null : { connector, task: Number(task) }
}
