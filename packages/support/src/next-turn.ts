/**
 * Lets the event loop go round once: sockets are read and written, timers fire. A loop whose awaits are always resolved
 * already would otherwise keep everything else waiting for ever.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
