import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Decimal, bigDecimalText, doubleText, floatText } from '@tributary/connect-api'
import { doubleOfBits, floatOfBits } from '@tributary/testkit'
import { oracleLines } from '../testing/oracle-fixtures.ts'

interface FloatingLine {
  readonly type: 'float' | 'double'
  readonly bits: string
  readonly text: string
}

function textOf({ type, bits }: FloatingLine): string {
  return type === 'float' ? floatText(floatOfBits(bits)) : doubleText(doubleOfBits(bits))
}

/** 2^-96, 2^87 and 2^90: Java prints a shorter decimal, which is not the nearest of its length. */
const LONGER_THAN_JAVA = ['0f800000', '6b000000', '6c800000']

test('floats and doubles have the text of Java 19 and later', () => {
  const lines = oracleLines<FloatingLine>('floating-point.java25.jsonl')
  assert.ok(lines.length > 900)
  for (const line of lines) {
    if (LONGER_THAN_JAVA.includes(line.bits)) continue
    assert.equal(textOf(line), line.text, `${line.type} ${line.bits}`)
  }
})

test('the text parses to the value that Java 17 printed, and is never longer', () => {
  for (const line of oracleLines<FloatingLine>('floating-point.java17.jsonl')) {
    const round = line.type === 'float' ? Math.fround : (value: number): number => value
    const text = textOf(line)
    assert.ok(Object.is(round(Number(text)), round(Number(line.text))), `${line.bits}: ${text} for ${line.text}`)
    assert.ok(text.length <= line.text.length || LONGER_THAN_JAVA.includes(line.bits), `${text} for ${line.text}`)
  }
})

test('NaN and infinities have their names in Java', () => {
  const names = ['NaN', 'Infinity', '-Infinity']
  assert.deepEqual([NaN, Infinity, -Infinity].map(doubleText), names)
  assert.deepEqual([NaN, Infinity, -Infinity].map(floatText), names)
})

// Printed by java.math.BigDecimal.toString; json-converter.jsonl contains many more.
const decimals = [
  [123, 2, '1.23'],
  [-5, 0, '-5'],
  [0, 6, '0.000000'],
  [0, 7, '0E-7'],
  [1, 7, '1E-7'],
  [-12, 9, '-1.2E-8'],
  [123, -3, '1.23E+5'],
  [2n ** 63n, 10, '922337203.6854775808'],
] as const
test('decimals have the text of BigDecimal', () => {
  for (const [unscaled, scale, text] of decimals) assert.equal(bigDecimalText(new Decimal(unscaled, scale)), text)
})
