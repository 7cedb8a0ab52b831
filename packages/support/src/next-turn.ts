/**
 * Resolves in the next turn of the event loop, after sockets and timers. A loop whose awaits are always resolved
 * already would otherwise block all other work for ever.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
