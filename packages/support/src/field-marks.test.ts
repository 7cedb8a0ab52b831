import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ByteWriter } from './byte-writer.ts'
import { FieldMarks } from './field-marks.ts'

test('a writer starts its marks anew with each document, and has none unless it is given some', () => {
  const writer = new ByteWriter(16, new FieldMarks(2))
  writer.marks.add(3)
  writer.marks.addStructure(true)
  writer.marks.beginFirstImage()
  writer.marks.endSecondImage(1)
  writer.reset()
  writer.marks.endSecondImage(1)

  assert.deepEqual([writer.marks.count, writer.marks.shape, writer.marks.twinEnd], [0, 0, 0])
  const unmarked = new ByteWriter(16)
  unmarked.marks.add(3)
  assert.equal(unmarked.marks.count, 0)
})

test('fields behind the last mark that there is room for are not marked', () => {
  const marks = new FieldMarks(2)
  for (const position of [0, 5, 9]) marks.add(position)

  assert.deepEqual([...marks.positions.subarray(0, marks.count)], [0, 5])
})

test('the second image has the places of the first one, as far back as that began', () => {
  const marks = new FieldMarks(8)
  marks.add(0)
  marks.beginFirstImage()
  for (const position of [10, 20]) marks.add(position)
  for (const position of [30, 40]) marks.add(position)
  marks.endSecondImage(3)

  assert.deepEqual([marks.twinStart, marks.twinEnd, marks.twinDistance], [3, 5, 2])
})

test('documents with other structures in them have other shapes', () => {
  const shapeOf = (...absent: boolean[]): number => {
    const marks = new FieldMarks(1)
    for (const isAbsent of absent) marks.addStructure(isAbsent)
    return marks.shape
  }

  assert.equal(new Set([shapeOf(true, false), shapeOf(false, true), shapeOf(false, false)]).size, 3)
})
