/**
 * What a started program finds in its environment. Its text is UTF-8 whatever this process was started with: Java 17 takes its default
 * character set from the locale, and the reference writes `?` for what ASCII does not have when there is none (JEP 400 ended that with Java 18).
 */
export function programEnvironment(
  overrides: Readonly<Record<string, string | undefined>> = {},
): Record<string, string | undefined> {
  return { ...process.env, LC_ALL: 'C.UTF-8', ...overrides }
}
