import { useMariaDb, useMySql } from '@tributary/testkit'
import { testAvroCases } from './avro/golden-avro.ts'

testAvroCases([{ name: '00_smoke' }, { name: '01_integers', variants: ['bigint-precise'] }, { name: '12_ddl_alter' }], {
  mysql: useMySql,
  mariadb: useMariaDb,
})
