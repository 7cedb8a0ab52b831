-- @description Columns of each type under the converters of Debezium: defaults, keys, snapshot, stream and ALTER TABLE
-- @no-default
-- @database x_conv
-- @config {"database.include.list":"x_conv"}
-- @variant tiny {"converters":"b","b.type":"io.debezium.connector.binlog.converters.TinyIntOneToBooleanConverter"}
-- @variant tiny-selector {"converters":"b","b.type":"io.debezium.connector.binlog.converters.TinyIntOneToBooleanConverter","b.selector":".*\\.T, x_conv\\.flags\\.N1","b.length.checker":"false"}
-- @variant jdbc {"converters":"j","j.type":"io.debezium.connector.binlog.converters.JdbcSinkDataTypesConverter","j.selector.boolean":".*\\.(t|tn|i|d8|bo)","j.selector.real":".*\\.(i2|f|db|re|d)","j.selector.string":".*\\.(v|tx|vi|vd|vf|vdb)"}
-- @variant jdbc-float {"converters":"j,b","j.type":"io.debezium.connector.binlog.converters.JdbcSinkDataTypesConverter","j.selector.real":".*\\.(i2|f|db|re|d)","j.treat.real.as.double":"false","b.type":"io.debezium.connector.binlog.converters.TinyIntOneToBooleanConverter"}
-- @variant together {"converters":"j,b","j.type":"io.debezium.connector.binlog.converters.JdbcSinkDataTypesConverter","j.selector.string":".*\\.(v|en|se)","j.selector.boolean":".*\\.t","b.type":"io.debezium.connector.binlog.converters.TinyIntOneToBooleanConverter","column.propagate.source.type":".*\\.(t|tn|v|en|se|b1|b9|bo)","column.mask.with.3.chars":".*\\.v","column.truncate.to.1.chars":".*\\.tx","message.key.columns":"x_conv.flags:t;x_conv.kinds:bo,b1","skip.messages.without.change":"true","include.schema.comments":"true"}
-- @variant maps {"column.mask.with.3.chars":"x_conv\\.kinds\\..*","column.truncate.to.2.chars":"x_conv\\.(numbers|bytes)\\..*","datatype.propagate.source.type":"x_conv\\.zeros\\.(DATE|TIMESTAMP),x_conv\\.flags\\.tinyint.*,x_conv\\.DATETIME","column.propagate.source.type":"x_conv\\.(numbers|kinds|flags)\\.(id|bo|v|tx|d)","decimal.handling.mode":"string"}
-- @variant hashes {"column.mask.hash.v2.SHA-256.with.salt.x":"x_conv\\.(kinds|bytes|flags)\\..*","column.mask.hash.MD5.with.salt.y":"x_conv\\.numbers\\.(en|se|d|tx)","column.truncate.to.40.chars":"x_conv\\.zeros\\..*","time.precision.mode":"isostring","column.mask.with.0.chars":"x_conv\\.numbers\\.(i|v)"}
-- @variant zero {"converters":"z","z.type":"io.debezium.connector.binlog.converters.ZeroDateFallbackConverter","time.precision.mode":"connect"}
-- @variant zero-literal {"converters":"z","z.type":"io.debezium.connector.binlog.converters.ZeroDateFallbackConverter","z.fallback.date":"1900-01-02","z.fallback.datetime":"1900-01-02 03:04:05","z.fallback.timestamp":"1971-02-03T04:05:06.7+01:00","z.column.x_conv.zeros.dn.fallback":"NULL","z.target.types":"date, DATETIME,timestamp"}
-- @variant zero-some {"converters":"z","z.type":"io.debezium.connector.binlog.converters.ZeroDateFallbackConverter","z.target.types":"DATETIME","z.selector":".*\\.zeros\\.d.*","z.fallback.datetime":"null"}
-- @snapshot
CREATE DATABASE x_conv CHARACTER SET utf8mb4;
USE x_conv;
SET sql_mode = '';
CREATE TABLE flags (
  id INT PRIMARY KEY,
  t TINYINT(1),
  tn TINYINT(1) NOT NULL DEFAULT 1,
  t0 TINYINT(1) DEFAULT '0',
  t3 TINYINT(3) DEFAULT 5,
  n1 TINYINT NOT NULL DEFAULT 2,
  un TINYINT UNSIGNED DEFAULT 7,
  bo BOOLEAN DEFAULT TRUE COMMENT 'named',
  bi BIT(1) DEFAULT b'1'
);
CREATE TABLE numbers (
  id INT PRIMARY KEY,
  i INT DEFAULT 5, i2 INT NOT NULL DEFAULT 7,
  f FLOAT DEFAULT 1.5, db DOUBLE DEFAULT 0.1, re REAL, d DECIMAL(10,2) DEFAULT 3.25, d8 DECIMAL(18,8),
  v VARCHAR(20) DEFAULT 'dv', tx TEXT, en ENUM('a','b') DEFAULT 'b', se SET('x','y'),
  vi BIGINT DEFAULT 12, vd DECIMAL(20,10) DEFAULT 0, vf FLOAT DEFAULT 2, vdb DOUBLE DEFAULT 1e10
);
CREATE TABLE kinds (
  id INT PRIMARY KEY, bo BOOLEAN NOT NULL, b1 BIT(1) NOT NULL, b9 BIT(9), t TINYINT(1), en ENUM('a','b,c') NOT NULL, se SET('x','y') DEFAULT 'x,y', v VARCHAR(10), tx TEXT
);
CREATE TABLE zeros (
  id INT PRIMARY KEY,
  d DATE DEFAULT '2020-01-02', dn DATE NOT NULL DEFAULT '2020-01-02',
  t DATETIME DEFAULT '2020-01-02 03:04:05', tn DATETIME(3) NOT NULL DEFAULT '2020-01-02 03:04:05', t6 DATETIME(6) DEFAULT CURRENT_TIMESTAMP(6), t4 DATETIME(4) NOT NULL DEFAULT '0000-00-00 00:00:00',
  s TIMESTAMP NULL DEFAULT '2020-01-02 03:04:05', sn TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3), s6 TIMESTAMP(6) NOT NULL DEFAULT '2021-01-01 00:00:00'
);
CREATE TABLE bytes (id INT PRIMARY KEY, b BINARY(4), vb VARBINARY(20), bl BLOB, j JSON, tt TIME, y YEAR, lt LONGTEXT CHARACTER SET latin1);
INSERT INTO bytes VALUES (1, 'ab', 'abcdef', 'abcdef', '{"a": 1}', '01:02:03', 2024, 'äöüß');
INSERT INTO flags VALUES (1, 1, 0, 1, 3, 4, 5, TRUE, b'1'), (2, NULL, 1, NULL, NULL, 0, NULL, NULL, NULL), (3, 2, -1, 0, 0, -4, 127, FALSE, b'0');
INSERT INTO numbers VALUES (1, 3, -4, 0.5, 0.25, 0.125, 12.34, 0.5, 'text', 'long', 'a', 'x,y', 123, 1.5, 3.25, 1e20), (2, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO kinds VALUES (1, 1, b'1', b'100000001', 1, 'b,c', 'x', 'abcdef', 'äöü'), (2, 0, b'0', NULL, NULL, 'a', NULL, NULL, NULL);
INSERT INTO zeros VALUES
  (1, '2024-02-29', '1970-01-01', '2024-02-29 12:13:14', '2024-02-29 12:13:14.5', '2024-02-29 12:13:14.123456', '1969-12-31 23:59:59.9999', '2024-02-29 12:13:14', '2024-02-29 12:13:14.120', '2024-02-29 12:13:14.000001'),
  (2, '0000-00-00', '0000-00-00', '0000-00-00 00:00:00', '0000-00-00 00:00:00', '0000-00-00 00:00:00', '0000-00-00 00:00:00', '0000-00-00 00:00:00', '0000-00-00 00:00:00', '0000-00-00 00:00:00'),
  (3, NULL, '2024-01-01', NULL, '2024-01-01 00:00:00', NULL, '2024-01-01 00:00:00', NULL, '2024-01-01 00:00:00', '2024-01-01 00:00:00');
-- @stream
INSERT INTO bytes VALUES (11, 'ab', 'abcdef', 'abcdef', '{"a": 1}', '01:02:03', 2024, 'äöüß'), (12, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO flags VALUES (11, 1, 0, 1, 3, 4, 5, TRUE, b'1'), (12, NULL, 1, NULL, NULL, 0, NULL, NULL, NULL), (13, 2, -1, 0, 0, -4, 127, FALSE, b'0');
UPDATE flags SET t = 2 WHERE id = 11;
UPDATE flags SET t = 0 WHERE id = 11;
UPDATE flags SET tn = 5, t0 = 7 WHERE id = 12;
DELETE FROM flags WHERE id = 13;
INSERT INTO numbers VALUES (11, 3, -4, 0.5, 0.25, 0.125, 12.34, 0.5, 'text', 'long', 'a', 'x,y', 123, 1.5, 3.25, 1e20), (12, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), (13, 0, -4, 16777217, 1e-7, 0.125, -0.01, 1.5, 'a', 'b', 'b', '', -5, 0, 1e9, -0.5);
INSERT INTO kinds VALUES (11, 1, b'1', b'100000001', 1, 'b,c', 'x', 'abcdef', 'äöü'), (12, 0, b'0', NULL, NULL, 'a', NULL, NULL, NULL);
UPDATE kinds SET bo = 1 WHERE id = 12;
INSERT INTO zeros VALUES
  (11, '2024-02-29', '1970-01-01', '2024-02-29 12:13:14', '2024-02-29 12:13:14.5', '2024-02-29 12:13:14.123456', '1969-12-31 23:59:59.9999', '2024-02-29 12:13:14', '2024-02-29 12:13:14.120', '2024-02-29 12:13:14.000001'),
  (12, '0000-00-00', '0000-00-00', '0000-00-00 00:00:00', '0000-00-00 00:00:00', '0000-00-00 00:00:00', '0000-00-00 00:00:00', '0000-00-00 00:00:00', '0000-00-00 00:00:00', '0000-00-00 00:00:00'),
  (13, NULL, '2024-01-01', NULL, '2024-01-01 00:00:00', NULL, '2024-01-01 00:00:00', NULL, '2024-01-01 00:00:00', '2024-01-01 00:00:00'),
  (14, '0000-05-00', '0001-01-01', '0099-12-31 00:00:00', '1600-01-01 00:00:00.001', '1500-01-01 00:00:00.000001', '9999-12-31 23:59:59.9999', NULL, '2024-01-01 00:00:00', '2038-01-19 03:14:07.999999');
ALTER TABLE flags ADD late TINYINT(1) NOT NULL DEFAULT 1, MODIFY t TINYINT;
INSERT INTO flags (id, t, late) VALUES (14, 5, 0);
CREATE TABLE made (id INT PRIMARY KEY, t TINYINT(1), bo BOOLEAN NOT NULL DEFAULT FALSE, i1 INT1 DEFAULT 1, d DATE, s TIMESTAMP NULL, v VARCHAR(5) DEFAULT 'x');
INSERT INTO made VALUES (1, 1, 1, 1, '2020-01-01', '2020-01-01 00:00:00', 'a'), (2, NULL, 0, NULL, NULL, NULL, NULL);
