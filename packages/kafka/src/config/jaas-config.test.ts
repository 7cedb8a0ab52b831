import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseJaasConfig } from './jaas-config.ts'

const module = 'org.apache.kafka.common.security.plain.PlainLoginModule'

test('login module and options are read, with single and double quotes and escapes', () => {
  const table: readonly (readonly [string, Record<string, string>])[] = [
    [`${module} required username="alice" password="secret";`, { username: 'alice', password: 'secret' }],
    [`  ${module}\n  required\n  username=alice password='a "b" c';  `, { username: 'alice', password: 'a "b" c' }],
    [
      `${module} required username="a\\"b" password="back\\\\slash; = x";`,
      { username: 'a"b', password: 'back\\slash; = x' },
    ],
    [`${module} required;`, {}],
    [`${module}\tREQUIRED // a comment\n /* another; one */ a="//x" b='/*y*/' ; // the end`, { a: '//x', b: '/*y*/' }],
    [
      `${module} required serviceName=kafka password="a=b;c'd" url=https://x/y;`,
      { serviceName: 'kafka', password: "a=b;c'd", url: 'https://x/y' },
    ],
    // As Java's StreamTokenizer reads them.
    [`${module} required p="1\\t2\\n3\\1014\\$5\\\\6";`, { p: '1\t2\n3A4$5\\6' }],
  ]
  for (const [text, options] of table) {
    assert.deepEqual(parseJaasConfig(text), { loginModule: module, options: new Map(Object.entries(options)) }, text)
  }
})

test('a value with a syntax error is refused without showing the password', () => {
  const table = [
    `${module} required username="alice" password="secret"`,
    `${module} required username="alice" password="secret;`,
    `${module} required username "alice" password="secret";`,
    `${module} required username= ;`,
    `${module} required username="secret"; ${module} required username="bob";`,
    `${module} username="secret" password="secret";`,
    `${module} required username="secret" password="secret" required;`,
    module,
    '',
    ';',
  ]
  for (const text of table) {
    assert.throws(
      () => parseJaasConfig(text),
      (error: Error & { code?: string }) => error.code === 'SETTING_INVALID' && !error.message.includes('secret'),
      text,
    )
  }
})
