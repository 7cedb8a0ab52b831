/**
 * The environment of a started program. Its locale is UTF-8, whatever that of this process is: Java 17 takes its
 * default character set from the locale, and without one Kafka Connect writes `?` for every character outside of ASCII
 * (JEP 400 changed that in Java 18).
 */
export function programEnvironment(
  overrides: Readonly<Record<string, string | undefined>> = {},
): Record<string, string | undefined> {
  return { ...process.env, LC_ALL: 'C.UTF-8', ...overrides }
}
