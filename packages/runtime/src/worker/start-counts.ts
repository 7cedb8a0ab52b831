/** How often something was started, and with which result. */
export class StartCounts {
  succeeded = 0
  failed = 0

  get attempts(): number {
    return this.succeeded + this.failed
  }

  /** From 0 to 1; 0 without any, as in Kafka Connect. */
  get successShare(): number {
    return this.attempts === 0 ? 0 : this.succeeded / this.attempts
  }

  get failureShare(): number {
    return this.attempts === 0 ? 0 : this.failed / this.attempts
  }
}
