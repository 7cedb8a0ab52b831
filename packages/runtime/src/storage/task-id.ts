/** `inventory-connector-0`, as statuses and keys name a task. */
export function taskId(connector: string, task: number): string {
  return `${connector}-${task}`
}

/** The parts of such a name, or null when it is none. Connectors may have dashes and digits of their own. */
export function splitTaskId(id: string): { readonly connector: string; readonly task: number } | null {
  const [, connector, task] = /^(.+)-(\d{1,9})$/s.exec(id) ?? []
  return connector === undefined ? null : { connector, task: Number(task) }
}
