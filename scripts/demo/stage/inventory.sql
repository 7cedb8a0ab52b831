-- The sample data of the demo: a small shop. The demo uses every foreign key.

CREATE TABLE products (
  id INT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name VARCHAR(100) NOT NULL,
  description VARCHAR(300),
  weight_grams INT
) AUTO_INCREMENT = 101;

CREATE TABLE customers (
  id INT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  first_name VARCHAR(255) NOT NULL,
  last_name VARCHAR(255) NOT NULL,
  email VARCHAR(255) NOT NULL UNIQUE KEY
) AUTO_INCREMENT = 1001;

CREATE TABLE addresses (
  id INT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  customer_id INT NOT NULL,
  street VARCHAR(200) NOT NULL,
  city VARCHAR(100) NOT NULL,
  kind ENUM('HOME', 'WORK') NOT NULL,
  FOREIGN KEY address_of_customer (customer_id) REFERENCES customers (id)
) AUTO_INCREMENT = 11;

CREATE TABLE orders (
  order_number INT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  ordered_on DATE NOT NULL,
  customer_id INT NOT NULL,
  product_id INT NOT NULL,
  quantity INT NOT NULL,
  FOREIGN KEY order_of_customer (customer_id) REFERENCES customers (id),
  FOREIGN KEY ordered_product (product_id) REFERENCES products (id)
) AUTO_INCREMENT = 10001;

INSERT INTO products (name, description, weight_grams) VALUES
  ('kettle', 'Enamelled kettle, two litres', 1150),
  ('lantern', 'Storm lantern with a wick', 640),
  ('rope', 'Hemp rope, twenty metres', 2300),
  ('compass', NULL, 85);

INSERT INTO customers (first_name, last_name, email) VALUES
  ('Ines', 'Okafor', 'ines@okafor.example'),
  ('Tomás', 'Rivera', 'tomas.rivera@post.example'),
  ('Mei', 'Tanaka', 'mei@tanaka.example'),
  ('Johan', 'Lindqvist', 'johan.lindqvist@mail.example');

INSERT INTO addresses (customer_id, street, city, kind) VALUES
  (1001, '4 Harbour Lane', 'Bristol', 'HOME'),
  (1002, 'Calle Mayor 19', 'León', 'HOME'),
  (1003, '2-7 Sakura-dōri', 'Nagoya', 'WORK'),
  (1004, 'Storgatan 8', 'Umeå', 'HOME'),
  (1004, 'Kajen 31', 'Umeå', 'WORK');

INSERT INTO orders (ordered_on, customer_id, product_id, quantity) VALUES
  ('2026-03-02', 1001, 102, 2),
  ('2026-03-05', 1002, 101, 1),
  ('2026-04-11', 1001, 104, 1);
