/** The source of random choices; the seeded random generator of the testkit implements it. */
export interface Choice {
  integer(from: number, to: number): number
  pick<T>(items: readonly T[]): T
}
