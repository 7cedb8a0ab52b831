/** The combinations that tls-matrix.server.test.ts leaves out. */
import { testTlsMatrix } from '../testing/tls-matrix.ts'

testTlsMatrix('rest')
