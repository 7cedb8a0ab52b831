/** Whether names are verified, for each certificate, and some of the other combinations of the matrix. */
import { testTlsMatrix } from '../testing/tls-matrix.ts'

testTlsMatrix('quick')
