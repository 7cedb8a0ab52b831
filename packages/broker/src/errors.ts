import { defineErrors } from '@tributary/support'
import type { ErrorRegistry } from '@tributary/support'

const definitions = {
  BROKER_PORT: {
    message: 'The development broker cannot listen on {address}: {reason}.',
    action: 'Choose another port or address, or end the program that uses it.',
  },
  BROKER_FOLDER_LOCKED: {
    message: 'The folder {folder} of the development broker is in use by process {pid}.',
    action: 'End that process, or choose another folder.',
  },
  BROKER_FOLDER_ELSEWHERE: {
    message:
      'The folder {folder} of the development broker is locked by process {pid} of {host}; whether that has ended cannot be seen from here.',
    action:
      'End that process, or choose another folder. If it has certainly ended, for example because the machine was restarted, delete the file {path}.',
  },
  BROKER_FOLDER: {
    message: 'The folder {folder} of the development broker cannot be used: {reason}.',
    action: 'Choose a folder that this user may write to and whose disk has room.',
  },
  BROKER_FOLDER_FORMAT: {
    message: 'The file {file} of the development broker is not one of this release: {reason}.',
    action: 'Choose an empty folder. Nothing in the folder was changed.',
  },
  BROKER_DATA_DAMAGED: {
    message: 'The file {file} of the development broker is damaged at byte {position}: {reason}.',
    action:
      'Restore the folder from a copy, or delete it with its topics and committed offsets. The file was not changed.',
  },
} as const

/** Errors of the development broker. */
export const brokerErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)
